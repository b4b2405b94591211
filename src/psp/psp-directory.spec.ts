import { Registry } from 'prom-client';
import { ManualClock } from '../core/clock.js';
import {
  type Answer,
  type CallContext,
  type Capabilities,
  type Instruction,
  type PspAdapter,
} from './contract.js';
import { markUnsent } from './network-error.js';
import { PspDirectory } from './psp-directory.js';

const capabilities: Capabilities = {
  operations: ['charge', 'capture'],
  currencies: ['EUR'],
  methods: { card: {}, sepa: {}, ideal: { withoutToken: true } },
  idempotency: { windowMs: null, replays: 'none' },
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 1_000 },
  cancel: null,
  captures: 'whole',
};

const charge: Instruction = {
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'EUR' },
  token: 'pm_secret_token',
  reference: 'order-1',
  customer: { email: 'ada@example.com' },
};

type Verb = PspAdapter['execute'];

/** A directory of one account `psp` whose adapter does `verb`, and how often it was called. */
function directoryOf(verb: Verb, breaker = { failuresInARow: 3, retryAfterMs: 60_000 }) {
  const clock = new ManualClock();
  const metrics = new Registry();
  const wire = jest.fn(verb);
  const adapter: PspAdapter = {
    capabilities,
    execute: wire,
    lookup: wire,
    cancel: wire,
    complete: wire,
    close: () => Promise.resolve(),
  };
  const directory = new PspDirectory(
    [{ name: 'psp', adapter, timeoutMs: 500, fingerprint: 'f', secrets: ['hunter22'] }],
    {
      clock,
      metrics,
      breaker,
    },
  );
  return { directory, clock, metrics, wire };
}

const answering = (answer: Answer) => directoryOf(() => Promise.resolve(answer));
const executed = (answer: Answer) => answering(answer).directory.call('psp', 'execute', charge);

describe('PspDirectory', () => {
  it('hands on what is well-formed', async () => {
    const money = { amount: 1_000, currency: 'EUR' };
    const answer: Answer = { outcome: 'succeeded', pspReference: 'pi_1', httpStatus: 200, money };
    expect(await executed(answer)).toEqual(answer);
  });

  it.each([[{ amount: 1_001, currency: 'EUR' }], [{ amount: 1_000, currency: 'USD' }]])(
    'freezes a success over other money: %j',
    async (money) => {
      expect(await executed({ outcome: 'succeeded', money })).toMatchObject({
        outcome: 'conflict',
        pspCode: 'money_differs',
      });
    },
  );

  it.each<[string, object]>([
    ['an outcome that is none', { outcome: 'success' }],
    ['a sentence as a reference', { outcome: 'succeeded', pspReference: 'see our docs' }],
    ['half a cent', { outcome: 'succeeded', money: { amount: 0.5, currency: 'EUR' } }],
    ['a category that is none', { outcome: 'declined', decline: 'toString' }],
    ['a word about the past by an execute', { outcome: 'not_found' }],
    ['a void by an execute', { outcome: 'canceled' }],
  ])('makes unknown of %s', async (_, answer) => {
    expect(await executed(answer as Answer)).toMatchObject({
      outcome: 'unknown',
      pspCode: 'malformed_answer',
    });
  });

  const asking = (nextAction: object) => executed({ outcome: 'requires_action', nextAction } as Answer);
  const page = { type: 'redirect', url: 'https://acs.example/1', method: 'POST', fields: { MD: 'a' } };

  it.each<[string, object]>([
    ['a page', page],
    [
      'a page with an address of 8,192 characters',
      { ...page, url: `https://acs.example/${'x'.repeat(8_172)}` },
    ],
    [
      'a page with an address of 32,768 characters',
      { ...page, url: `https://acs.example/${'x'.repeat(32_748)}` },
    ],
    [
      'what looks like a card number or a secret',
      { ...page, fields: { PaReq: '4111111111111111', t: 'pm_visa' } },
    ],
    ["a library's data", { type: 'psp_sdk', data: { type: 'threeDS2', token: 'Bearer 4111111111111111' } }],
  ])('hands on %s unchanged', async (_, nextAction) => {
    expect(await asking(nextAction)).toEqual({ outcome: 'requires_action', nextAction });
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { down: deep(levels - 1) });

  it.each<[string, string, object]>([
    [
      'an address without end',
      'action_too_large',
      { ...page, url: `https://acs.example/${'x'.repeat(32_749)}` },
    ],
    ['data without end', 'action_too_large', { type: 'psp_sdk', data: { token: 'x'.repeat(65_536) } }],
    ['data without a bottom', 'action_unusable', { type: 'psp_sdk', data: deep(5_000) }],
    ['a script', 'action_unusable', { ...page, url: 'javascript:alert(1)' }],
    ['a method that is none', 'action_unusable', { ...page, method: 'PUT' }],
    ['a field that is no text', 'action_unusable', { ...page, fields: { MD: 1 } }],
    ['what the database cannot store', 'action_unusable', { type: 'psp_sdk', data: { 'a\0': 1 } }],
    ['half a character', 'action_unusable', { ...page, fields: { MD: '\ud800' } }],
    ['a credential of ours', 'action_unusable', { ...page, fields: { MD: 'x hunter22' } }],
    ['no object', 'action_unusable', ['redirect'] as object],
  ])('still waits for the customer, and says so, where the action is %s', async (_, pspCode, nextAction) => {
    expect(await asking(nextAction)).toEqual({
      outcome: 'requires_action',
      pspCode,
      message: 'The PSP asked for an action that Payonce cannot pass on',
    });
  });

  it('says declined where the adapter names no category', async () => {
    expect((await executed({ outcome: 'declined' })).decline).toBe('declined');
  });

  it('keeps secrets out of what is stored', async () => {
    const message = 'pm_secret_token of ada@example.com, card 4242 4242 4242 4242, key hunter22';
    const answer = await executed({ outcome: 'rejected', message, pspCode: 'hunter22' });
    expect(JSON.stringify(answer)).not.toMatch(/secret_token|ada@|4242|hunter22/);
  });

  it('makes unknown of any throw, and not_sent of a proved one', async () => {
    const throwing = (error: unknown) =>
      directoryOf(() => {
        throw error;
      }).directory.call('psp', 'execute', charge);
    expect(await throwing(Object.assign(new Error('hang up'), { code: 'ECONNRESET' }))).toMatchObject({
      outcome: 'unknown',
      pspCode: 'ECONNRESET',
    });
    expect((await throwing(Object.assign(new Error('no'), { code: 'ECONNREFUSED' }))).outcome).toBe(
      'not_sent',
    );
    expect((await throwing(markUnsent(new Error('TLS')))).outcome).toBe('not_sent');
    expect((await throwing('a string')).outcome).toBe('unknown');
    expect((await throwing(undefined)).outcome).toBe('unknown');
  });

  it('ends in time, also when the adapter ignores its signal', async () => {
    let signal: AbortSignal | undefined;
    const { directory, clock } = directoryOf((_, call) => {
      signal = call.signal;
      return new Promise(() => undefined);
    });
    const answer = directory.call('psp', 'execute', charge);
    await new Promise(setImmediate);
    clock.advance(499);
    await new Promise(setImmediate);
    expect(signal?.aborted).toBe(false);
    clock.advance(1);
    expect(await answer).toMatchObject({ outcome: 'unknown', pspCode: 'timeout' });
    expect(signal?.aborted).toBe(true);
  });

  it('reads an answer that is there already before it gives a call up', async () => {
    let arrived: (answer: Answer) => void;
    const { directory, clock } = directoryOf(() => new Promise((resolve) => (arrived = resolve)));
    const answer = directory.call('psp', 'execute', charge);
    await new Promise(setImmediate);
    setImmediate(() => arrived({ outcome: 'succeeded' }));
    clock.advance(500);
    expect((await answer).outcome).toBe('succeeded');
  });

  it('says that a call is given up, with a signal or without, until nobody listens', async () => {
    const heard: string[] = [];
    let call: CallContext | undefined;
    const { directory, clock } = directoryOf((_, context) => {
      call = context;
      context.onGivenUp(({ message }) => heard.push(message));
      context.onGivenUp(() => heard.push('stopped'))();
      return new Promise(() => undefined);
    });
    const answer = directory.call('psp', 'execute', charge);
    await new Promise(setImmediate);
    clock.advance(500);
    await answer;
    call!.onGivenUp(() => heard.push('late'));
    expect(heard).toEqual(['No answer within 500 ms', 'late']);
    expect(call!.signal.aborted).toBe(true);
  });

  it('refuses beforehand what the account does not offer, without a call', async () => {
    const { directory, wire } = answering({ outcome: 'succeeded' });
    const asked: [Partial<Instruction>, string][] = [
      [{ operation: 'authorize' }, 'operation_not_supported'],
      [{ money: { amount: 1, currency: 'USD' } }, 'currency_not_supported'],
      [{ token: '' }, 'token_missing'],
      [{ token: '', method: 'sepa' }, 'token_missing'],
      [{ method: 'klarna' }, 'method_not_supported'],
      [{ operation: 'capture' }, 'parent_reference_missing'],
    ];
    for (const [more, pspCode] of asked) {
      expect(await directory.call('psp', 'execute', { ...charge, ...more })).toMatchObject({
        outcome: 'rejected',
        pspCode,
      });
    }
    expect(await directory.call('psp', 'cancel', charge)).toMatchObject({ outcome: 'unknown' });
    expect(await directory.call('nobody', 'execute', charge)).toMatchObject({ outcome: 'not_sent' });
    expect(() => directory.capabilities('nobody')).toThrow(RangeError);
    expect(wire).not.toHaveBeenCalled();
    const ideal = { ...charge, token: '', method: 'ideal' } as const;
    expect(await directory.call('psp', 'execute', ideal)).toMatchObject({ outcome: 'succeeded' });
  });

  it('stops sending to an account that keeps failing, but still looks up', async () => {
    const { directory, wire } = answering({ outcome: 'unknown' });
    for (let call = 0; call < 3; call++) await directory.call('psp', 'execute', charge);
    expect(await directory.call('psp', 'execute', charge)).toMatchObject({
      outcome: 'not_sent',
      pspCode: 'breaker_open',
    });
    expect(wire).toHaveBeenCalledTimes(3);
    expect((await directory.call('psp', 'lookup', charge)).outcome).toBe('unknown');
    expect(wire).toHaveBeenCalledTimes(4);
  });

  it.each<Answer['outcome']>(['declined', 'rejected', 'throttled', 'pending'])(
    'does not count %s as a failure of the PSP',
    async (outcome) => {
      const { directory, wire } = answering({ outcome });
      for (let call = 0; call < 10; call++) await directory.call('psp', 'execute', charge);
      expect(wire).toHaveBeenCalledTimes(10);
    },
  );

  it('lets one call try whether the PSP is back, and answers the others at once', async () => {
    let answerTrial: (answer: Answer) => void = () => undefined;
    const answers: (() => Promise<Answer>)[] = [
      () => Promise.resolve({ outcome: 'unknown' }),
      () => new Promise((resolve) => (answerTrial = resolve)),
      () => Promise.resolve({ outcome: 'declined' }),
    ];
    const { directory } = directoryOf(() => answers.shift()!(), { failuresInARow: 1, retryAfterMs: 0 });
    await directory.call('psp', 'execute', charge);
    const trial = directory.call('psp', 'execute', charge);
    expect((await directory.call('psp', 'execute', charge)).pspCode).toBe('breaker_open');
    answerTrial({ outcome: 'succeeded' });
    expect((await trial).outcome).toBe('succeeded');
    expect((await directory.call('psp', 'execute', charge)).outcome).toBe('declined');
  });

  it('counts calls by account, kind and outcome', async () => {
    const { directory, metrics } = answering({ outcome: 'declined' });
    await directory.call('psp', 'execute', charge);
    await directory.call('psp', 'lookup', charge);
    const text = await metrics.metrics();
    expect(text).toContain('payonce_psp_call_seconds_count{psp="psp",kind="execute",outcome="declined"} 1');
    expect(text).toContain('payonce_psp_call_seconds_count{psp="psp",kind="lookup",outcome="declined"} 1');
  });

  it('takes no two accounts of one name', () => {
    const account = { name: 'psp', adapter: {} as PspAdapter, timeoutMs: 500, fingerprint: 'f' };
    const options = { clock: new ManualClock(), metrics: new Registry() };
    expect(() => new PspDirectory([account, account], options)).toThrow('share a name');
  });
});
