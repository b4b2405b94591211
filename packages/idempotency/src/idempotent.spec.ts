import { createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { Registry } from 'prom-client';
import { ManualClock } from '../../../src/core/clock.js';
import { CallInProgress, HandlerHasRun, IdempotentCallError } from './call-error.js';
import { CallMetrics } from './call-metrics.js';
import { type IdempotentOptions } from './call-options.js';
import { type RunContext } from './call-run.js';
import { CallStoreUnavailable } from './call-store.js';
import { idempotent } from './idempotent.js';
import { MemoryCallStore } from './memory-store.js';
import { keyedHash } from './request-hash.js';

const TTL = 1_000;
const key = Buffer.alloc(32, 5);

interface Ask {
  readonly amount: number;
}

function setUp(more: Partial<IdempotentOptions<Ask>> = {}) {
  const clock = new ManualClock();
  const registry = new Registry();
  const store = new MemoryCallStore(clock);
  const options = {
    operation: 'send-receipt',
    retention: 60_000,
    lockTtl: TTL,
    hashRequest: keyedHash(key),
    metrics: new CallMetrics(registry),
    clock,
    ...more,
  };
  return { clock, registry, store, options };
}

/** A handler that ends when it is told to. */
function held() {
  const runs: { context: RunContext; end(answer: string): void; fail(error: Error): void }[] = [];
  const handler = (_ask: Ask, context: RunContext) =>
    new Promise<string>((resolve, reject) => runs.push({ context, end: resolve, fail: reject }));
  return { runs, handler };
}

/** Lets everything that is due happen; the clock stands still. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

async function advance(clock: ManualClock, ms: number, step = 10): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    clock.advance(step);
    await settle();
  }
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'answered',
    (error: unknown) => error,
  );

async function sampleOf(registry: Registry, name: string, labels: Record<string, string>): Promise<number> {
  const metric = await registry.getSingleMetric(name)!.get();
  const found = metric.values.filter(({ labels: own }) =>
    Object.entries(labels).every(([label, value]) => own[label] === value),
  );
  return found.reduce((sum, { value }) => sum + value, 0);
}

describe('the lock of a run', () => {
  it('is extended at 7/10 of its TTL, for as long as the handler runs', async () => {
    const { clock, store, options } = setUp();
    const extend = jest.spyOn(store, 'extend');
    const { runs, handler } = held();
    const call = idempotent(store, options, handler);
    const answer = call('k', { amount: 1 });
    await settle();
    await advance(clock, 690);
    expect(extend).toHaveBeenCalledTimes(0);
    await advance(clock, 10);
    expect(extend).toHaveBeenCalledTimes(1);
    await advance(clock, 5 * TTL);
    expect(extend).toHaveBeenCalledTimes(8);
    expect(await failure(call('k', { amount: 1 }))).toBeInstanceOf(CallInProgress);

    runs[0]!.end('sent');
    expect(await answer).toBe('sent');
    await advance(clock, 3 * TTL);
    expect(extend).toHaveBeenCalledTimes(8);
    expect(runs).toHaveLength(1);
  });

  it.each(['monotonicMs', 'wallMs'] as const)(
    'that took too long to get begins nothing, by whichever clock: %s',
    async (one) => {
      for (const [tookMs, began] of [
        [0.7 * TTL, 1],
        [0.7 * TTL + 1, 0],
      ] as const) {
        const { clock, store, options } = setUp();
        const real = store.take.bind(store);
        const take = jest.spyOn(store, 'take').mockImplementation(async (...args) => {
          const taken = await real(...args);
          const nowMs = clock[one]();
          jest.spyOn(clock, one).mockReturnValue(nowMs + tookMs);
          return taken;
        });
        const release = jest.spyOn(store, 'release');
        const { runs, handler } = held();
        const failed = failure(idempotent(store, options, handler)('k', { amount: 1 }));
        await settle();
        expect([take.mock.calls.length, runs.length, release.mock.calls.length]).toEqual([
          1,
          began,
          1 - began,
        ]);
        if (began === 0) expect(await failed).toMatchObject({ code: 'store_unavailable' });
      }
    },
  );

  it('is asked for again when the store did not answer, and given up for lost when it would have lapsed', async () => {
    const { clock, store, options } = setUp();
    const extend = jest.spyOn(store, 'extend').mockRejectedValue(new CallStoreUnavailable(new Error('away')));
    const { runs, handler } = held();
    const answer = idempotent(store, options, handler)('k', { amount: 1 });
    await settle();
    await advance(clock, 950);
    expect(extend).toHaveBeenCalledTimes(3);
    expect(runs[0]!.context.signal.aborted).toBe(false);
    await advance(clock, 60);
    expect(runs[0]!.context.signal.aborted).toBe(true);
    runs[0]!.end('sent');
    // Nobody took the key over, so the lock is still its own and the answer is recorded.
    expect(await answer).toBe('sent');
  });

  it('tells the handler as soon as it would have lapsed when an extension hangs', async () => {
    const { clock, store, options } = setUp();
    jest.spyOn(store, 'extend').mockReturnValue(new Promise(() => {}));
    const { runs, handler } = held();
    void failure(idempotent(store, options, handler)('k', { amount: 1 }));
    await settle();
    await advance(clock, 990);
    expect(runs[0]!.context.signal.aborted).toBe(false);
    await advance(clock, 10);
    expect(runs[0]!.context.signal.aborted).toBe(true);
  });

  it('is not extended past the longest run', async () => {
    const { clock, store, options } = setUp({ longestRun: 3 * TTL });
    const { runs, handler } = held();
    const call = idempotent(store, options, handler);
    void failure(call('k', { amount: 1 }));
    await settle();
    await advance(clock, 3.9 * TTL);
    expect(runs[0]!.context.signal.aborted).toBe(true);
    void failure(call('k', { amount: 1 }));
    await settle();
    expect(runs).toHaveLength(2);
  });

  it('is too old to run under when the store took most of its TTL to answer', async () => {
    const { clock, store, options } = setUp();
    const take = store.take.bind(store);
    jest.spyOn(store, 'take').mockImplementation(async (lock, ttlMs) => {
      const taken = await take(lock, ttlMs);
      clock.advance(701);
      return taken;
    });
    const { runs, handler } = held();
    expect(await failure(idempotent(store, options, handler)('k', { amount: 1 }))).toMatchObject({
      code: 'store_unavailable',
    });
    expect(runs).toHaveLength(0);
    jest.restoreAllMocks();
    void failure(idempotent(store, options, handler)('k', { amount: 1 }));
    await settle();
    expect(runs).toHaveLength(1);
  });
});

describe('an answer that is not recorded', () => {
  it('is offered until the store takes it, and nobody is told anything before', async () => {
    const { clock, store, options } = setUp();
    const record = jest.spyOn(store, 'record');
    for (let n = 0; n < 3; n++) record.mockRejectedValueOnce(new CallStoreUnavailable(new Error('away')));
    const call = idempotent(store, options, () => 'sent');
    const answer = call('k', { amount: 1 });
    await settle();
    await advance(clock, 200);
    expect(await answer).toBe('sent');
    expect(record).toHaveBeenCalledTimes(4);
    expect(await call('k', { amount: 1 })).toBe('sent');
  });

  it('is an error that says so and holds the answer where no log looks', async () => {
    const { clock, store, options, registry } = setUp({ recordWithin: 1_000 });
    jest.spyOn(store, 'record').mockRejectedValue(new CallStoreUnavailable(new Error('away')));
    const answer = failure(idempotent(store, options, () => ({ receipt: 'private-7' }))('k', { amount: 1 }));
    await settle();
    await advance(clock, 1_100);
    const error = await answer;
    expect(error).toBeInstanceOf(HandlerHasRun);
    expect(error).toMatchObject({ code: 'done_not_recorded', answer: { receipt: 'private-7' } });
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('private-7');
    expect(await sampleOf(registry, 'payonce_idempotent_runs_total', { end: 'not_recorded' })).toBe(1);
  });

  it('is one that JSON does not carry: recorded as such, told to everybody, and never run for again', async () => {
    for (const answer of [Number.NaN, 'x'.repeat(200)]) {
      const { store, options, registry } = setUp({ mostAnswerBytes: 100 });
      let runs = 0;
      const call = idempotent(store, options, () => {
        runs += 1;
        return answer;
      });
      expect(await failure(call('k', { amount: 1 }))).toMatchObject({ code: 'answer_not_kept', answer });
      const later = await failure(call('k', { amount: 1 }));
      expect(later).toMatchObject({ code: 'answer_not_kept', answer: undefined });
      expect(await failure(call('k', { amount: 2 }))).toMatchObject({ code: 'idempotency_key_reused' });
      expect(runs).toBe(1);
      expect(await sampleOf(registry, 'payonce_idempotent_runs_total', { end: 'not_kept' })).toBe(1);
    }
  });
});

describe('a request', () => {
  it.each([
    ['what JSON would drop', { amount: 1, at: new Date(0) }],
    ['what JSON would change', { amount: Number.NaN }],
  ])('with %s is refused before anything is done', async (_what, request) => {
    const { store, options } = setUp();
    const take = jest.spyOn(store, 'take');
    const { runs, handler } = held();
    expect(await failure(idempotent(store, options, handler)('k', request))).toMatchObject({
      code: 'request_not_hashable',
    });
    expect([take.mock.calls.length, runs.length]).toEqual([0, 0]);
  });

  it('is the same whatever the order of its members, and another one under another key', () => {
    const hash = keyedHash(key);
    expect(hash({ a: 1, b: [2] })).toBe(hash({ b: [2], a: 1 }));
    expect(hash({ b: [2], a: 1 })).toBe(createHmac('sha256', key).update('{"a":1,"b":[2]}').digest('hex'));
    expect(() => keyedHash(Buffer.alloc(31))).toThrow('at least 32 bytes');
    expect(hash({ a: 1 })).not.toBe(hash({ a: 2 }));
    expect(hash({ a: 1 })).not.toBe(keyedHash(Buffer.alloc(32, 6))({ a: 1 }));
  });

  it.each(['', 'a b', 'é', 'x'.repeat(129), '-'])('has no hash like %j', async (hash) => {
    const { store, options } = setUp({ hashRequest: () => hash });
    expect(await failure(idempotent(store, options, () => 1)('k', { amount: 1 }))).toMatchObject({
      code: 'request_not_hashable',
    });
  });

  it('under a key that was used without hashes is taken for a repetition', async () => {
    const { store, options } = setUp();
    const { hashRequest: _, ...unhashed } = options;
    const amountOf = ({ amount }: Ask) => amount;
    expect(await idempotent(store, unhashed, amountOf)('k', { amount: 1 })).toBe(1);
    expect(await idempotent(store, options, amountOf)('k', { amount: 2 })).toBe(1);
  });
});

describe('a stored answer', () => {
  it('is a copy for each caller', async () => {
    const { store, options } = setUp();
    const call = idempotent(store, options, () => ({ list: [1] }));
    const first = await call('k', { amount: 1 });
    first.list.push(2);
    expect(await call('k', { amount: 1 })).toEqual({ list: [1] });
  });

  it('that is none of ours is refused, and nothing is run', async () => {
    const { store, options } = setUp();
    for (const record of ['', '[]', 'null', '{"other":1}', '{"not_kept":1}']) {
      jest.spyOn(store, 'take').mockResolvedValue({ state: 'done', fingerprint: '-', record });
      const { runs, handler } = held();
      expect(await failure(idempotent(store, options, handler)('k', { amount: 1 }))).toMatchObject({
        code: 'record_unreadable',
      });
      expect(runs).toHaveLength(0);
    }
  });
});

describe('an error', () => {
  it('does not hold the id, the request or what a driver put into its own errors', async () => {
    const { store, options } = setUp();
    const driver = Object.assign(new Error('refused'), {
      command: { args: ['private-7'] },
      detail: 'private-7',
    });
    jest.spyOn(store, 'take').mockRejectedValue(new CallStoreUnavailable(driver));
    const error = await failure(idempotent(store, options, () => 1)('private-7', { amount: 1 }));
    expect(error).toBeInstanceOf(IdempotentCallError);
    const printed = inspect(error, { showHidden: true, depth: 9 });
    expect(printed).toContain('refused');
    expect(printed).not.toContain('private-7');
  });
});

describe('the options', () => {
  it.each<Partial<IdempotentOptions<Ask>>>([
    { lockTtl: 99 },
    { lockTtl: 1.5 },
    { retention: 0 },
    { wait: 60_001 },
    { mostAnswerBytes: 2_000_000 },
    { operation: 'A' },
  ])('%j are refused when the handler is made', (wrong) => {
    const { store, options } = setUp(wrong);
    expect(() => idempotent(store, options, () => 1)).toThrow(RangeError);
  });
});
