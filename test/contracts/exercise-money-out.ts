import { type Effect } from '@payonce/simulator';
import { type Instruction } from '../../src/psp/contract.js';
import { effectsUnderOneKey, faultOf, faults } from './exercise-doubt.js';
import { referenceOf } from './exercise-psp.js';
import { type PspBench } from './psp-under-test.js';

type Operation = 'refund' | 'payout';

/** What money that leaves has in common: a refund of a payment, and a payout to a bank account. */
export function exerciseMoneyOut(bench: PspBench, operation: Operation): void {
  const asked = (more: Partial<Instruction> = {}) => moneyOut(bench, operation, more);
  const done = () => effectsOf(bench, operation);
  const keyed = () => bench.capabilities.idempotency.windowMs !== null;

  it('is declared', () => {
    expect(bench.capabilities.operations).toContain(operation);
  });

  it('is one request and one effect, under our names', async () => {
    const instruction = await asked();
    const requests = bench.requests();
    const answer = await bench.execute(instruction);
    expect(answer).toMatchObject({ outcome: 'succeeded', money: instruction.money, isNamed: true });
    expect(bench.requests() - requests).toBe(requestsFor(bench, operation));
    expect(done()).toEqual([
      expect.objectContaining({
        psp_reference: referenceOf(answer),
        parent_reference: instruction.parentReference ?? null,
        reference: instruction.entityKey,
        amount: 400,
        currency: 'EUR',
        idempotency_key: instruction.idempotencyKey,
      }),
    ]);
    expect(answer.pspReference).not.toBe(instruction.parentReference);
  });

  it.each([
    ['JPY', 500],
    ['KWD', 1_230],
    ['HUF', 50_000],
  ])('moves %s %d in the units of that currency', async (currency, amount) => {
    const { currencies } = bench.capabilities;
    if (currencies !== null && !currencies.includes(currency)) return;
    const money = { amount, currency };
    const answer = await bench.execute(await asked({ money }));
    expect(answer).toMatchObject({ outcome: 'succeeded', money });
    expect(done()).toEqual([expect.objectContaining(money)]);
  });

  it('is rejected beforehand where it says of or to what is missing', async () => {
    const { token: _, parentReference: __, ...nowhere } = await asked();
    const requests = bench.requests();
    expect((await bench.execute(nowhere)).outcome).toBe('rejected');
    expect(bench.requests()).toBe(requests);
  });

  it('throttled: with the time to wait, and without effect', async () => {
    const instruction = await asked();
    bench.fault({ fault: 'throttle', next: 1, delay_ms: 2_000 });
    const answer = await bench.execute(instruction);
    expect(answer).toMatchObject({ outcome: 'throttled', retryAfterMs: 2_000 });
    expect(done()).toEqual([]);
  });

  it('refused: not sent', async () => {
    const instruction = await asked();
    // Over a connection that is kept the first request may find it closed: doubt, and no claim.
    bench.fault({ fault: 'refuse' });
    await bench.execute(instruction);
    expect((await bench.execute(instruction)).outcome).toBe('not_sent');
    expect(done()).toEqual([]);
  });

  describe('where no answer comes', () => {
    it.each(faults)('%s: %s, and the ledger holds %d', async (fault, outcome, effects) => {
      await bench.hurry(fault);
      const instruction = await asked();
      const requests = bench.requests();
      bench.fault(faultOf(fault));
      expect((await bench.execute(instruction)).outcome).toBe(outcome);
      expect(bench.requests() - requests).toBe(requestsFor(bench, operation));
      expect(done()).toHaveLength(effects);
    });

    it.each(faults)('%s, then the same key again: at most one effect where keys are known', async (fault) => {
      if (!keyed()) return;
      await bench.hurry(fault);
      const instruction = await asked();
      bench.fault(faultOf(fault));
      await bench.execute(instruction);
      await bench.calmDown();
      const told = bench.capabilities.idempotency.replays === 'id' ? 'pending' : 'succeeded';
      expect(['succeeded', told, 'unknown']).toContain((await bench.execute(instruction)).outcome);
      expect(done().length).toBeLessThanOrEqual(effectsUnderOneKey(bench, fault));
    });
  });

  it('the same key gives the same answer for as long as declared, and no longer', async () => {
    const instruction = await asked();
    const first = await bench.execute(instruction);
    const { of, idempotency } = bench.capabilities;
    const { windowMs } = of?.[operation]?.idempotency ?? idempotency;
    if (windowMs !== null) bench.advance(windowMs - 60_000);
    const again = await bench.execute({ ...instruction, sentAt: [new Date(1)], pspReference: 'learnt' });
    expect(done()).toHaveLength(keyed() ? 1 : 2);
    if (bench.capabilities.idempotency.replays === 'id') {
      expect(again).toMatchObject({ outcome: 'pending', pspReference: first.pspReference });
    } else if (keyed()) expect(again).toEqual(first);
    bench.advance(120_000);
    // After the window the key means nothing, and the payment of a refund still covers another.
    await bench.execute(instruction);
    expect(done().length).toBeGreaterThan(1);
  });

  it('another request under a used key is never taken for a proof', async () => {
    if (!keyed()) return;
    const instruction = await asked();
    await bench.execute(instruction);
    const other = await bench.execute({ ...instruction, money: { amount: 401, currency: 'EUR' } });
    if (!bench.subject.answersWithoutAmount) expect(['unknown', 'conflict']).toContain(other.outcome);
    expect(done()).toHaveLength(1);
  });

  it('two at once under one key have one effect, and the second knows nothing', async () => {
    if (!keyed()) return;
    await bench.twoAtOnce(await asked());
    expect(done()).toHaveLength(1);
  });

  it('cannot be called back, and no call is made to try', async () => {
    const instruction = await asked();
    const { pspReference } = await bench.execute(instruction);
    const requests = bench.requests();
    for (const more of [{}, { pspReference }, { pspReference, undo: true as const }]) {
      const answer = await bench.cancel({ ...instruction, ...more });
      expect(answer).toMatchObject({ outcome: 'unknown', pspCode: 'nothing_to_cancel' });
    }
    expect(bench.requests()).toBe(requests);
    expect(done()).toHaveLength(1);
  });
}

function requestsFor({ subject }: PspBench, operation: Operation): number {
  return operation === 'refund' && subject.readsPaymentFirst ? 2 : 1;
}

/** Refunding or paying out 4.00: of a payment of 12.00, or to a bank account. */
export async function moneyOut(
  bench: PspBench,
  operation: Operation,
  more: Partial<Instruction> = {},
): Promise<Instruction> {
  const money = more.money ?? { amount: 400, currency: 'EUR' };
  if (operation === 'payout') {
    return bench.instruction({ operation, token: bench.subject.bankAccounts!.pays, money, ...more });
  }
  const { amount, currency } = money;
  const charge = bench.instruction({ money: { amount: amount * 3, currency } });
  const parentReference = referenceOf(await bench.execute(charge));
  const { token: _, ...refund } = bench.instruction({ operation, parentReference, money, ...more });
  return refund;
}

export function effectsOf(bench: PspBench, operation: Operation): readonly Effect[] {
  return bench.effects().filter((effect) => effect.operation === operation);
}
