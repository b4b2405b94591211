import { type Answer, type Instruction } from '../../src/psp/contract.js';
import { adviceFor } from '../../src/psp/decline.js';
import { exerciseDoubt } from './exercise-doubt.js';
import { exerciseLookup } from './exercise-lookup.js';
import { exercisePayout } from './exercise-payout.js';
import { exerciseRefund } from './exercise-refund.js';
import { PspBench, type PspSubject } from './psp-under-test.js';

/**
 * What every adapter must do, whatever PSP it speaks to. Differences between PSPs are declared
 * capabilities, and what is declared must be true: the simulator's ledger is the judge of effects,
 * never the adapter's own word.
 */
export function exercisePsp(name: string, subject: PspSubject): void {
  const bench = new PspBench(subject);

  describe(`${name}: the contract of a PSP`, () => {
    beforeAll(() => bench.start());
    afterAll(() => bench.stop());
    beforeEach(() => bench.fresh());
    afterEach(() => bench.end());

    describe('verbs', () => exerciseVerbs(bench));
    describe('refusals', () => exerciseRefusals(bench));
    describe('idempotency as declared', () => exerciseKeys(bench));
    describe('doubt', () => exerciseDoubt(bench));
    describe('lookup and cancel as declared', () => exerciseLookup(bench));
    describe('refund', () => exerciseRefund(bench));
    if (subject.bankAccounts) describe('payout', () => exercisePayout(bench));
  });
}

/** The PSP's id of an answer that must have one. */
export function referenceOf(answer: Answer): string {
  expect(answer.pspReference).toMatch(/^\S+$/);
  return answer.pspReference ?? '';
}

/** An authorization that stands. */
export async function authorized(bench: PspBench, more: Partial<Instruction> = {}): Promise<string> {
  const answer = await bench.execute(bench.instruction({ operation: 'authorize', ...more }));
  expect(answer.outcome).toBe('succeeded');
  return referenceOf(answer);
}

function exerciseVerbs(bench: PspBench): void {
  it('charges: one request, one effect, under our names', async () => {
    const charge = bench.instruction();
    const answer = await bench.execute(charge);
    // Named: whose object it is need not be looked up here.
    expect(answer).toMatchObject({ outcome: 'succeeded', money: charge.money, isNamed: true });
    expect(bench.requests()).toBe(1);
    expect(bench.effects()).toEqual([
      expect.objectContaining({
        operation: 'charge',
        psp_reference: referenceOf(answer),
        reference: charge.entityKey,
        route: '1',
        amount: 1_000,
        currency: 'EUR',
        idempotency_key: charge.idempotencyKey,
      }),
    ]);
  });

  it.each([
    ['JPY', 500],
    ['KWD', 1_230],
    ['USD', 99_999_990],
  ])('charges %s %d in the units of that currency', async (currency, amount) => {
    const { currencies } = bench.capabilities;
    if (currencies !== null && !currencies.includes(currency)) return;
    const answer = await bench.execute(bench.instruction({ money: { amount, currency } }));
    expect(answer).toMatchObject({ outcome: 'succeeded', money: { amount, currency } });
    expect(bench.effects()).toEqual([expect.objectContaining({ amount, currency })]);
  });

  it('charges without a page to come back to', async () => {
    const charge = bench.instruction();
    const { returnUrl: _, customer: __, statementDescriptor: ___, ...least } = charge;
    // Whose stored card it is must be said all the same.
    expect((await bench.execute({ ...least, pspCustomer: 'cus_1' })).outcome).toBe('succeeded');
  });

  it('authorizes without taking money, then captures the whole of it', async () => {
    if (!bench.can('authorize')) return;
    const parentReference = await authorized(bench);
    expect(bench.effects()).toEqual([expect.objectContaining({ operation: 'authorize' })]);
    const capture = bench.instruction({ operation: 'capture', parentReference });
    expect(await bench.execute(capture)).toMatchObject({ outcome: 'succeeded', money: capture.money });
    expect(bench.requests()).toBe(bench.subject.readsPaymentFirst ? 3 : 2);
    expect(bench.effects()[1]).toMatchObject({
      operation: 'capture',
      parent_reference: parentReference,
      amount: 1_000,
      idempotency_key: bench.subject.keysAtCreationAlone ? null : capture.idempotencyKey,
    });
  });

  it('captures a part where it says that it can', async () => {
    if (bench.capabilities.captures === 'whole' || !bench.can('capture')) return;
    const parentReference = await authorized(bench);
    const money = { amount: 400, currency: 'EUR' };
    const answer = await bench.execute(bench.instruction({ operation: 'capture', parentReference, money }));
    expect(answer).toMatchObject({ outcome: 'succeeded', money });
    expect(bench.effects()[1]).toMatchObject({ operation: 'capture', amount: 400 });
  });

  it('voids an authorization', async () => {
    if (!bench.can('void')) return;
    const parentReference = await authorized(bench);
    const answer = await bench.execute(bench.instruction({ operation: 'void', parentReference }));
    expect(answer.outcome).toBe('succeeded');
    expect(bench.requests()).toBe(bench.subject.readsPaymentFirst ? 3 : 2);
    expect(bench.effects()[1]).toMatchObject({ operation: 'void', parent_reference: parentReference });
  });

  it('sends the customer to a page, and waits', async () => {
    const { asksCustomer: token } = bench.subject.tokens;
    if (token === undefined) return;
    const answer = await bench.execute(bench.instruction({ token }));
    expect(answer.outcome).toBe('requires_action');
    expect(answer.nextAction).toMatchObject({
      type: 'redirect',
      url: expect.stringMatching(/^https?:\/\//) as string,
    });
    referenceOf(answer);
    expect(bench.effects()).toEqual([]);
  });

  it('is handed what the customer did, any number of times, and asks the issuer once', async () => {
    if (!bench.capabilities.completion) return;
    const { asksCustomer: token = '' } = bench.subject.tokens;
    const charge = bench.instruction({ token });
    const pspReference = referenceOf(await bench.execute(charge));
    const asked = { ...charge, pspReference };
    const details = bench.customerActs(pspReference)!;
    expect(bench.effects()).toEqual([]);
    const forged = { ...asked, details: { redirectResult: 'forged' } };
    expect((await bench.complete(forged)).outcome).toBe('rejected');
    const { outcome, money } = await bench.complete({ ...asked, details });
    expect({ outcome, money }).toEqual({ outcome: 'succeeded', money: asked.money });
    const query = { return_query: `?order=7&${new URLSearchParams(details).toString()}` };
    expect((await bench.complete({ ...asked, details: query })).outcome).toBe('succeeded');
    // Another route's key is another call: the PSP has these details already, and says nothing of the outcome.
    const other = await bench.complete({ ...asked, idempotencyKey: 'another-key', details });
    expect(other.outcome).toBe('unknown');
    expect(bench.effects()).toHaveLength(1);
  });

  it('waits for what is decided later', async () => {
    const { waits: token } = bench.subject.tokens;
    const answer = await bench.execute(bench.instruction({ token }));
    expect(answer.outcome).toBe('pending');
    referenceOf(answer);
  });
}

function exerciseRefusals(bench: PspBench): void {
  it.each([
    ['softDecline', 'elsewhere'],
    ['hardDecline', 'never'],
    ['stepUpDecline', 'authenticate'],
  ] as const)('%s: asked again %s', async (card, advice) => {
    const token = bench.subject.tokens[card];
    if (token === undefined) return;
    const answer = await bench.declined(bench.instruction({ token }));
    expect(answer.outcome).toBe('declined');
    expect(answer.decline && adviceFor[answer.decline]).toBe(advice);
    expect(answer.pspCode).toMatch(/^\w+$/);
    expect(bench.effects()).toEqual([]);
    if (!bench.subject.declinesLater) expect(bench.requests()).toBe(1);
  });

  it('rejected: an authorization that does not exist', async () => {
    for (const operation of ['capture', 'void'] as const) {
      const answer = await bench.execute(bench.instruction({ operation, parentReference: 'pi_none' }));
      expect(answer.outcome).toBe('rejected');
    }
    expect(bench.effects()).toEqual([]);
  });

  it('rejected: an amount below what the PSP takes, or that it cannot be told', async () => {
    const money = { amount: 123_451, currency: 'MGA' };
    const answer = await bench.execute(bench.instruction({ money }));
    // Where the PSP can be told this amount, it must be this amount.
    if (answer.outcome === 'succeeded') expect(bench.effects()).toEqual([expect.objectContaining(money)]);
    else expect([answer.outcome, bench.requests()]).toEqual(['rejected', 0]);
  });

  it('throttled: with the time to wait, and without effect', async () => {
    bench.fault({ fault: 'throttle', next: 1, delay_ms: 2_000 });
    expect(await bench.execute(bench.instruction())).toMatchObject({
      outcome: 'throttled',
      retryAfterMs: 2_000,
    });
    expect(bench.requests()).toBe(1);
    expect(bench.effects()).toEqual([]);
  });
}

function exerciseKeys(bench: PspBench): void {
  const keyed = () => bench.capabilities.idempotency.windowMs !== null;

  it.each(['approved', 'softDecline', 'asksCustomer'] as const)(
    'the same key gives the same answer, where keys are known (%s)',
    async (card) => {
      const token = bench.subject.tokens[card];
      if (token === undefined) return;
      const charge = bench.instruction({ token });
      const first = await bench.execute(charge);
      const repeated = { ...charge, sentAt: [new Date(1)], pspReference: 'learnt' };
      const again = await bench.execute(repeated);
      const approved = card === 'approved' ? 1 : 0;
      expect(bench.effects()).toHaveLength(keyed() ? approved : 2 * approved);
      if (bench.capabilities.idempotency.replays === 'id') {
        // What became of it has to be asked.
        expect(again).toMatchObject({ outcome: 'pending', pspReference: first.pspReference });
      } else if (keyed()) {
        // That it comes from a store is said of a failure alone, by some.
        expect({ ...again, isReplay: undefined }).toEqual(first);
      }
      expect(bench.requests()).toBe(2);
    },
  );

  it('a capture under one key captures once', async () => {
    if (!bench.can('capture')) return;
    const parentReference = await authorized(bench);
    const capture = bench.instruction({ operation: 'capture', parentReference });
    await bench.execute(capture);
    const again = await bench.execute(capture);
    // Without keys the PSP refuses, and its refusal shows the payment that is captured already.
    expect(again.outcome).toBe('succeeded');
    expect(bench.effects().filter(({ operation }) => operation === 'capture')).toHaveLength(1);
  });

  it('a key is remembered as long as declared, and no longer', async () => {
    const { windowMs } = bench.capabilities.idempotency;
    if (windowMs === null) return;
    const charge = bench.instruction();
    await bench.execute(charge);
    bench.advance(windowMs - 60_000);
    await bench.execute(charge);
    expect(bench.effects()).toHaveLength(1);
    bench.advance(120_000);
    await bench.execute(charge);
    expect(bench.effects()).toHaveLength(2);
  });

  it('another request under a used key is never taken for a proof', async () => {
    if (!keyed()) return;
    const charge = bench.instruction();
    await bench.execute(charge);
    const other = await bench.execute({ ...charge, money: { amount: 2_000, currency: 'EUR' } });
    expect(['unknown', 'conflict', 'pending']).toContain(other.outcome);
    expect(bench.effects()).toHaveLength(1);
  });

  it('two at once under one key have one effect, and the second knows nothing', async () => {
    if (!keyed()) return;
    await bench.twoAtOnce(bench.instruction());
    expect(bench.effects()).toHaveLength(1);
  });
}
