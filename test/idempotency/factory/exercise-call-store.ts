import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { CallMetrics } from '@payonce/idempotency/prometheus';
import {
  type IdempotentOptions,
  type CallLock,
  type CallStore,
  type Taken,
  idempotent,
} from '@payonce/idempotency';
import { ManualClock, SystemClock } from '../../../src/core/clock.js';
import { type Answer, type Ask, codeOf, hashRequest, Judge } from './judge.js';

export interface StoreUnderTest {
  /** The same memory over a connection of its own. */
  connect(): Promise<CallStore>;
  close(): Promise<void>;
}

const clock = new SystemClock();
const RETENTION = 60_000;
const LONG = 20_000;
/** For tests that see a lock lapse. */
const SHORT = 300;
/** For tests that see one extended: three tenths of it are more than a busy machine stands still. */
const EXTENDED = 1_500;

const freshLock = (name = freshName()): CallLock => ({
  name,
  token: randomUUID(),
  fingerprint: 'f'.repeat(64),
});
const freshName = () => `i9y:conformance:${randomUUID()}`;

/** A promise and what settles it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

/** Asks again until it is as it should be: the store's clock decides, and has no signal. */
async function eventually<T>(ask: () => Promise<T>, isIt: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const value = await ask();
    if (isIt(value)) return value;
    await clock.sleep(10);
  }
  throw new Error('it never came');
}

/** What every store of idempotent calls does alike. Differences are declared: `takeOverSeenBy`. */
export function exerciseCallStore(open: () => Promise<StoreUnderTest>): void {
  let subject: StoreUnderTest;
  let stores: CallStore[];

  beforeAll(async () => {
    subject = await open();
    stores = await Promise.all([subject.connect(), subject.connect(), subject.connect()]);
  });
  afterAll(() => subject.close());

  const options = (more: Partial<IdempotentOptions<Ask>> = {}): IdempotentOptions<Ask> => ({
    operation: 'conformance',
    retention: RETENTION,
    lockTtl: LONG,
    hashRequest,
    ...more,
  });

  describe('steps', () => {
    const [ours, theirs] = [() => stores[0]!, () => stores[1]!];

    it('give a lock to one of many that ask at once, and tell the others whose it is', async () => {
      const name = freshName();
      const locks = Array.from({ length: 12 }, (_, n) => ({ ...freshLock(name), fingerprint: `f${n}` }));
      const answers = await Promise.all(locks.map((lock, n) => stores[n % 3]!.take(lock, LONG)));
      const winner = answers.findIndex(({ state }) => state === 'taken');
      for (const [n, answer] of answers.entries()) {
        if (n === winner) expect(answer).toEqual({ state: 'taken', tookOver: false });
        else expect(answer).toMatchObject({ state: 'running', fingerprint: `f${winner}` });
      }
    });

    it('say how long a lock lasts', async () => {
      const lock = freshLock();
      await ours().take(lock, LONG);
      const there = await theirs().take(freshLock(lock.name), LONG);
      const lastsMs = there.state === 'running' ? await there.lastsMs() : 0;
      expect(lastsMs).toBeGreaterThan(LONG - 5_000);
      expect(lastsMs).toBeLessThanOrEqual(LONG);
    });

    it('may each be sent twice', async () => {
      const lock = freshLock();
      expect(await ours().take(lock, LONG)).toEqual({ state: 'taken', tookOver: false });
      expect(await theirs().take(lock, LONG)).toEqual({ state: 'taken', tookOver: false });
      expect([await ours().extend(lock, LONG), await theirs().extend(lock, LONG)]).toEqual(['held', 'held']);
      const record = '{"answer":"A text with \\u0000, \\ud800 and ü, as JSON writes them"}';
      expect(await ours().record(lock, record, RETENTION)).toBe('held');
      expect(await theirs().record(lock, record, RETENTION)).toBe('held');
      await ours().release(lock);
      const done: Taken = { state: 'done', fingerprint: lock.fingerprint, record };
      expect(await theirs().take(freshLock(lock.name), LONG)).toEqual(done);
      // A take that was sent again and arrives when all is over must not start anything.
      expect(await ours().take(lock, LONG)).toEqual(done);
    });

    it('do nothing under a lock that is another one', async () => {
      const [lock, other] = [freshLock(), freshLock()];
      await ours().take(lock, LONG);
      const stranger = { ...other, name: lock.name };
      expect(await theirs().extend(stranger, LONG)).toBe('taken_over');
      expect(await theirs().record(stranger, '{"answer":1}', RETENTION)).toBe('taken_over');
      await theirs().release(stranger);
      expect(await ours().extend(lock, LONG)).toBe('held');
      expect(await ours().record(lock, '{"answer":2}', RETENTION)).toBe('held');
      expect(await theirs().record(stranger, '{"answer":1}', RETENTION)).toBe('taken_over');
      expect(await theirs().take(stranger, LONG)).toMatchObject({ state: 'done', record: '{"answer":2}' });
    });

    it('do nothing under a lock that is not there', async () => {
      const lock = freshLock();
      expect(await ours().extend(lock, LONG)).toBe('gone');
      expect(await ours().record(lock, '{"answer":1}', RETENTION)).toBe('gone');
      await ours().release(lock);
      expect(await ours().take(lock, LONG)).toMatchObject({ state: 'taken' });
      await ours().release(lock);
      expect(await theirs().extend(lock, LONG)).toBe('gone');
    });

    it('forget a lock after its TTL and an answer after its retention, by the clock of the store', async () => {
      const [lapsing, ending] = [freshLock(), freshLock()];
      await ours().take(lapsing, 50);
      const again = freshLock(lapsing.name);
      const taken = await eventually(
        () => theirs().take(again, LONG),
        ({ state }) => state === 'taken',
      );
      expect(taken).toEqual({ state: 'taken', tookOver: ours().takeOverSeenBy === 'taker' });

      await ours().take(ending, LONG);
      await ours().record(ending, '{"answer":1}', 50);
      const anew = freshLock(ending.name);
      expect(
        await eventually(
          () => theirs().take(anew, LONG),
          ({ state }) => state === 'taken',
        ),
      ).toEqual({
        state: 'taken',
        tookOver: false,
      });
    });

    it('keep a record of the largest size', async () => {
      const lock = freshLock();
      const record = JSON.stringify({ answer: 'ü'.repeat(500_000) });
      await ours().take(lock, LONG);
      expect(await ours().record(lock, record, RETENTION)).toBe('held');
      const there = await theirs().take(freshLock(lock.name), LONG);
      expect(there.state === 'done' && there.record === record).toBe(true);
    });
  });

  describe('calls', () => {
    it('are run once, answered alike, and refused for other parameters, while running and afterwards', async () => {
      const judge = new Judge();
      const end = gate();
      const begun = gate();
      const handler = judge.handler(() => ({ turns: 1, until: end.opened }), begun.open);
      const [one, other] = stores.map((store) => idempotent(store, options(), handler));
      const first = judge.call(one!, 'k1', 5);
      await begun.opened;
      const running = await judge.call(other!, 'k1', 5);
      expect(running).toMatchObject({ error: { code: 'request_in_progress' } });
      const { lockedForMs } = (running as { error: { lockedForMs: number } }).error;
      expect(lockedForMs).toBeGreaterThan(LONG / 2);
      expect(lockedForMs).toBeLessThanOrEqual(LONG);
      const reused = { error: { code: 'idempotency_key_reused' } };
      expect(await judge.call(other!, 'k1', 6)).toMatchObject(reused);
      end.open();
      expect(await first).toEqual({ answer: { run: 1, amount: 5 } });
      expect(await judge.call(other!, 'k1', 5)).toEqual({ answer: { run: 1, amount: 5 } });
      expect(await judge.call(other!, 'k1', 6)).toMatchObject(reused);
      expect(judge.complaints()).toEqual([]);
      expect(judge.runs).toHaveLength(1);
    });

    it('are run again after a throw, at once and with any parameters', async () => {
      const judge = new Judge();
      const handler = judge.handler((run) => ({ turns: 1, throws: run === 1 }));
      const [one, other] = stores.map((store) => idempotent(store, options(), handler));
      expect(await judge.call(one!, 'k2', 5)).toHaveProperty('error');
      expect(await judge.call(other!, 'k2', 6)).toEqual({ answer: { run: 2, amount: 6 } });
      expect(judge.complaints()).toEqual([]);
    });

    it('wait for another as long as they may, and take its place when it throws', async () => {
      const judge = new Judge();
      const [end, begun] = [gate(), gate()];
      const handler = judge.handler(
        (run) => ({ turns: 1, throws: run === 1, until: end.opened }),
        begun.open,
      );
      const calls = stores.map((store) => idempotent(store, options({ wait: 10_000 }), handler));
      const first = judge.call(calls[0]!, 'k3', 5);
      await begun.opened;
      const brief = idempotent(stores[1]!, options({ wait: 30 }), handler);
      expect(await judge.call(brief, 'k3', 5)).toMatchObject({ error: { code: 'request_in_progress' } });
      const waiting = [judge.call(calls[1]!, 'k3', 5), judge.call(calls[2]!, 'k3', 5)];
      end.open();
      expect(codeOf(((await first) as { error: unknown }).error)).toBe('threw');
      const answer = { answer: { run: 2, amount: 5 } };
      expect(await Promise.all(waiting)).toEqual([answer, answer]);
      expect(judge.complaints()).toEqual([]);
    });

    it('keep their lock longer than its TTL while the handler runs', async () => {
      const judge = new Judge();
      const [end, extended] = [gate(), gate()];
      const store = stores[0]!;
      let extensions = 0;
      const watched: CallStore = Object.create(store, {
        extend: {
          value: async (lock: CallLock, ttlMs: number) => {
            const hold = await store.extend(lock, ttlMs);
            if (++extensions === 2) extended.open();
            return hold;
          },
        },
      });
      const handler = judge.handler(() => ({ turns: 1, until: end.opened }));
      const first = judge.call(idempotent(watched, options({ lockTtl: EXTENDED }), handler), 'k4', 5);
      await extended.opened;
      const other = idempotent(stores[1]!, options(), handler);
      expect(await judge.call(other, 'k4', 5)).toMatchObject({ error: { code: 'request_in_progress' } });
      end.open();
      expect(await first).toEqual({ answer: { run: 1, amount: 5 } });
    });

    /** One that does not notice that time goes by: it never extends its lock, as if its process stood still. */
    const frozen = (store: CallStore, metrics: CallMetrics, handler: (ask: Ask) => Promise<Answer>) =>
      idempotent(store, options({ lockTtl: SHORT, clock: new ManualClock(), metrics }), handler);

    it.each(['returns', 'throws'] as const)(
      'taken over from one that stood still are not touched when it %s at last',
      async (end) => {
        const judge = new Judge();
        const registry = new Registry();
        const metrics = new CallMetrics(registry);
        const [standing, thaw, begun, finish] = [gate(), gate(), gate(), gate()];
        const handler = judge.handler(
          (run) => ({
            turns: 1,
            throws: run === 1 && end === 'throws',
            until: run === 1 ? thaw.opened : finish.opened,
          }),
          (run) => (run === 1 ? standing : begun).open(),
        );
        const key = `k5-${end}`;
        const first = judge.call(frozen(stores[0]!, metrics, handler), key, 5);
        await standing.opened;
        const successor = idempotent(stores[1]!, options({ wait: 10_000, metrics }), handler);
        const second = judge.call(successor, key, 5);
        await begun.opened;
        // It comes back while its successor runs: neither its answer nor its unlocking may count.
        thaw.open();
        expect(codeOf(((await first) as { error: unknown }).error)).toBe(
          end === 'throws' ? 'threw' : 'done_not_recorded',
        );
        expect(await judge.call(idempotent(stores[2]!, options(), handler), key, 5)).toMatchObject({
          error: { code: 'request_in_progress' },
        });
        finish.open();
        expect(await second).toEqual({ answer: { run: 2, amount: 5 } });
        expect(await judge.call(successor, key, 5)).toEqual({ answer: { run: 2, amount: 5 } });
        expect(judge.complaints()).toEqual([]);
        const seen = stores[0]!.takeOverSeenBy === 'taker' || end === 'returns' ? 1 : 0;
        expect(await registry.metrics()).toContain(
          `payonce_idempotent_take_overs_total{operation="conformance"} ${seen}`,
        );
      },
    );

    it('are counted: hit, miss, mismatch, in progress, and how long locks were held', async () => {
      const judge = new Judge();
      const registry = new Registry();
      const end = gate();
      const begun = gate();
      const handler = judge.handler(() => ({ turns: 1, until: end.opened }), begun.open);
      const call = idempotent(stores[0]!, options({ metrics: new CallMetrics(registry) }), handler);
      const first = judge.call(call, 'k6', 5);
      await begun.opened;
      await judge.call(call, 'k6', 5);
      await judge.call(call, 'k6', 6);
      end.open();
      await first;
      await judge.call(call, 'k6', 5);
      await judge.call(call, 'k6', 5);
      const metrics = await registry.metrics();
      const expected = { hit: 2, miss: 1, mismatch: 1, in_progress: 1, unavailable: 0 };
      for (const [result, count] of Object.entries(expected)) {
        expect(metrics).toContain(
          `payonce_idempotent_calls_total{operation="conformance",result="${result}"} ${count}`,
        );
      }
      expect(metrics).toContain('payonce_idempotent_lock_held_seconds_count{operation="conformance"} 1');
    });

    it('of which many come at once are run to an end once, whichever throws and whatever others ask', async () => {
      const plans = fc.record({
        amounts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 12 }),
        throwing: fc.nat(3),
        turns: fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
      });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(plans, async ({ amounts, throwing, turns }) => {
          const judge = new Judge();
          const key = `race-${round++}`;
          const handler = judge.handler((run) => ({
            turns: turns[run % turns.length]!,
            throws: run <= throwing,
          }));
          const calls = stores.map((store) => idempotent(store, options({ wait: 10_000 }), handler));
          const outcomes = await Promise.all(
            amounts.map((amount, n) => judge.call(calls[n % 3]!, key, amount)),
          );
          expect(judge.complaints()).toEqual([]);
          const [kept, ...more] = judge.returned(key);
          expect(more).toEqual([]);
          // Everybody but those that threw, and those that came when other parameters had the key, has it.
          expect(judge.runs.length).toBeLessThanOrEqual(throwing + 1);
          if (kept) {
            for (const [n, outcome] of outcomes.entries()) {
              if ('answer' in outcome) expect(outcome.answer).toEqual({ run: kept.run, amount: kept.amount });
              else expect(['threw', 'idempotency_key_reused']).toContain(codeOf(outcome.error));
              if (throwing === 0 && amounts[n] === kept.amount) expect(outcome).toHaveProperty('answer');
            }
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}
