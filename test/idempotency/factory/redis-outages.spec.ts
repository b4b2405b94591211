import { type IdempotentOptions, idempotent } from '@payonce/idempotency';
import { RedisCallStore } from '@payonce/idempotency/redis';
import { SystemClock } from '../../../src/core/clock.js';
import { SeededIds } from '../../../src/core/ids.js';
import { type Ask, hashRequest, Judge } from './judge.js';
import { describeWithRedis, RedisServer } from '../../support/redis-server.js';
import { RedisTap } from './redis-tap.js';

/**
 * A real redis-server is killed, emptied, paused, made read only and restarted while calls run. What
 * is promised is in Judge. How often a handler may run to its end for one key is what the store
 * remembered: once, and once more for each time that it lost its memory. No lock lapses in here.
 */
const LOCK_TTL = 30_000;
/** A Redis that is well answers within it on a busy machine, too: a lock taken too late for its caller is nobody's. */
const TIMEOUT_MS = 2_000;
const KEYS = Array.from({ length: 6 }, (_, n) => `k${n}`);
const clock = new SystemClock();

let server: RedisServer;
let stores: RedisCallStore[];

async function open(isDurable: boolean): Promise<void> {
  server = await RedisServer.start(isDurable);
  const url = server.url;
  stores = await Promise.all([1, 2, 3].map(() => RedisCallStore.open({ url, timeoutMs: TIMEOUT_MS })));
}

async function close(): Promise<void> {
  for (const store of stores) store.close();
  await server.stop();
}

const options = (more: Partial<IdempotentOptions<Ask>> = {}): IdempotentOptions<Ask> => ({
  operation: 'outage',
  retention: 600_000,
  lockTtl: LOCK_TTL,
  hashRequest,
  ...more,
});

/** Every key asked by every store, once with the parameters of most and once with others. */
function wave(judge: Judge, handler: ReturnType<Judge['handler']>): Promise<unknown>[] {
  return stores.flatMap((store) => {
    const call = idempotent(store, options(), handler);
    return KEYS.flatMap((key) => [judge.call(call, key, 5), judge.call(call, key, 6)]);
  });
}

/** Asks each key until it is answered, refused as another's, or held by a lock that nobody will give up. */
async function afterwards(judge: Judge, handler: ReturnType<Judge['handler']>): Promise<void> {
  const call = idempotent(stores[0]!, options(), handler);
  for (const key of KEYS) {
    for (let tries = 0; tries < 200; tries++) {
      const outcome = await judge.call(call, key, 5);
      if ('answer' in outcome) break;
      const { code } = outcome.error as { code?: string };
      if (code !== 'store_unavailable') break;
      await clock.sleep(25);
    }
  }
}

/** A promise and what settles it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

function expectAtMost(judge: Judge, times: number): void {
  expect(judge.complaints()).toEqual([]);
  for (const key of KEYS) {
    expect([key, judge.returned(key).length <= times, judge.answers(key).length <= times]).toEqual([
      key,
      true,
      true,
    ]);
  }
}

/** Runs that are under way when the fault comes and end in the middle of it. */
function overTheFault() {
  const judge = new Judge();
  const [underWay, struck] = [gate(), gate()];
  const handler = judge.handler(
    (run) => (run <= KEYS.length ? { turns: run, until: struck.opened } : { turns: run % 5 }),
    (run) => run === KEYS.length && underWay.open(),
  );
  return { judge, underWay, struck, handler };
}

describeWithRedis('Redis, killed while calls run', () => {
  it('and back with all it was told: every handler runs once, and every answer is kept', async () => {
    await open(true);
    try {
      const { judge, underWay, struck, handler } = overTheFault();
      const before = wave(judge, handler);
      await underWay.opened;
      await server.kill();
      struck.open();
      await Promise.all(wave(judge, handler));
      expect(judge.counts()).toHaveProperty('store_unavailable');
      await server.restart();
      await Promise.all(before);
      await afterwards(judge, handler);
      expectAtMost(judge, 1);
      expect(judge.runs).toHaveLength(KEYS.length);
      expect(judge.counts()).not.toHaveProperty('done_not_recorded');
      expect(KEYS.map((key) => judge.answers(key).length)).toEqual(KEYS.map(() => 1));
    } finally {
      await close();
    }
  });

  it('and back with nothing: what ran says so, and runs once more at most', async () => {
    await open(false);
    try {
      const { judge, underWay, struck, handler } = overTheFault();
      const before = wave(judge, handler);
      await underWay.opened;
      await server.kill();
      struck.open();
      await server.restart();
      await Promise.all(before);
      expect(judge.counts()['done_not_recorded']).toBe(KEYS.length);
      await afterwards(judge, handler);
      expectAtMost(judge, 2);
      expect(KEYS.map((key) => judge.returned(key).length)).toEqual(KEYS.map(() => 2));
      // The run that was not recorded gave no answer to anybody, so nobody was told two things.
      expect(KEYS.map((key) => judge.answers(key).length)).toEqual(KEYS.map(() => 1));
    } finally {
      await close();
    }
  });

  it('and not back: done, but not recorded', async () => {
    await open(false);
    try {
      const judge = new Judge();
      const [begun, struck] = [gate(), gate()];
      const handler = judge.handler(() => ({ turns: 1, until: struck.opened }), begun.open);
      const call = judge.call(idempotent(stores[0]!, options({ recordWithin: 300 }), handler), 'k0', 5);
      await begun.opened;
      await server.kill();
      struck.open();
      const told = { error: { code: 'done_not_recorded', answer: { run: 1, amount: 5 } } };
      expect(await call).toMatchObject(told);
      expect(judge.complaints()).toEqual([]);
    } finally {
      await close();
    }
  });
});

describeWithRedis('Redis, while calls run,', () => {
  beforeEach(() => open(false));
  afterEach(close);

  it('emptied: an answer is still one of a run for these parameters, and a run is repeated once a flush', async () => {
    const { judge, underWay, struck, handler } = overTheFault();
    const before = wave(judge, handler);
    await underWay.opened;
    await server.command('FLUSHALL');
    const between = wave(judge, handler);
    await Promise.all(between);
    await server.command('FLUSHALL');
    struck.open();
    await Promise.all(before);
    await afterwards(judge, handler);
    expectAtMost(judge, 3);
    for (const key of KEYS) expect(judge.runs.filter((run) => run.key === key).length).toBeLessThanOrEqual(3);
    // The first runs found their locks gone and did not pass for recorded.
    expect(judge.counts()['done_not_recorded']).toBe(KEYS.length);
  });

  it('too slow to answer: refused, and never run twice', async () => {
    const { judge, underWay, struck, handler } = overTheFault();
    const before = wave(judge, handler);
    await underWay.opened;
    await server.command('CLIENT', 'PAUSE', 2 * TIMEOUT_MS, 'ALL');
    struck.open();
    await Promise.all(wave(judge, handler));
    expect(judge.counts()).toHaveProperty('store_unavailable');
    await Promise.all(before);
    await afterwards(judge, handler);
    expectAtMost(judge, 1);
    expect(judge.runs).toHaveLength(KEYS.length);
    expect(KEYS.map((key) => judge.answers(key).length)).toEqual(KEYS.map(() => 1));
  });

  it('read only: refused, recorded when it may be written to again, and never run twice', async () => {
    const { judge, underWay, struck, handler } = overTheFault();
    const before = wave(judge, handler);
    await underWay.opened;
    await server.command('REPLICAOF', '127.0.0.1', 1);
    struck.open();
    await Promise.all(wave(judge, handler));
    expect(judge.counts()).toHaveProperty('store_unavailable');
    await server.command('REPLICAOF', 'NO', 'ONE');
    await Promise.all(before);
    await afterwards(judge, handler);
    expectAtMost(judge, 1);
    expect(judge.runs).toHaveLength(KEYS.length);
    expect(KEYS.map((key) => judge.answers(key).length)).toEqual(KEYS.map(() => 1));
  });

  it('with the reply to a lock lost: nothing is run under it, and it lapses', async () => {
    const tap = await RedisTap.open(server.url);
    const store = await RedisCallStore.open({ url: tap.url });
    try {
      const judge = new Judge();
      const handler = judge.handler(() => ({ turns: 1 }));
      const lost = tap.loseReplyTo(/\$3\r\nset\r\n/i);
      const call = idempotent(store, options({ lockTtl: 2_000 }), handler);
      expect(await judge.call(call, 'k0', 5)).toMatchObject({ error: { code: 'store_unavailable' } });
      await lost;
      const other = (wait: number) => idempotent(stores[1]!, options({ wait }), handler);
      expect(await judge.call(other(0), 'k0', 5)).toMatchObject({ error: { code: 'request_in_progress' } });
      expect(await judge.call(other(10_000), 'k0', 5)).toEqual({ answer: { run: 1, amount: 5 } });
      expect(judge.complaints()).toEqual([]);
    } finally {
      store.close();
      await tap.close();
    }
  });

  it('with the reply to an answer lost: asked again, and found recorded', async () => {
    const tap = await RedisTap.open(server.url);
    const store = await RedisCallStore.open({ url: tap.url });
    try {
      const judge = new Judge();
      const handler = judge.handler(() => ({ turns: 1 }));
      const lost = tap.loseReplyTo(/\$4\r\neval\r\n/i);
      const answer = { answer: { run: 1, amount: 5 } };
      expect(await judge.call(idempotent(store, options(), handler), 'k0', 5)).toEqual(answer);
      await lost;
      expect(await judge.call(idempotent(stores[1]!, options(), handler), 'k0', 5)).toEqual(answer);
      expect(judge.runs).toHaveLength(1);
    } finally {
      store.close();
      await tap.close();
    }
  });
});

describeWithRedis('Redis in trouble of every kind', () => {
  beforeEach(() => open(true));
  afterEach(close);

  it.each([1, 2, 3, 4])('gives no wrong answer (seed %i)', async (seed) => {
    const dice = new SeededIds(seed, clock);
    const judge = new Judge();
    const throwing = new Set(Array.from({ length: 30 }, () => Math.ceil(dice.random() * 100)));
    const handler = judge.handler((run) => ({ turns: run % 40, throws: throwing.has(run) }));
    let flushes = 0;
    const faults: Readonly<Record<string, () => Promise<unknown>>> = {
      flush: () => {
        flushes += 1;
        return server.command('FLUSHALL');
      },
      pause: () => server.command('CLIENT', 'PAUSE', 400, 'ALL'),
      cut: () => server.command('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'yes'),
      readOnly: async () => {
        await server.command('REPLICAOF', '127.0.0.1', 1);
        await calm(100);
        await server.command('REPLICAOF', 'NO', 'ONE');
      },
      restart: async () => {
        await server.kill();
        await calm(50);
        await server.restart();
      },
    };
    /** So many more calls were told something: that is how time is counted here. */
    const progress = { told: 0, isOver: false };
    const calm = async (calls: number) => {
      const until = progress.told + calls;
      while (progress.told < until) await clock.sleep(5);
    };

    /** Each caller throws dice of its own, so that the order of the faults is the seed's alone. */
    const caller = async (store: RedisCallStore, n: number) => {
      const own = new SeededIds(seed * 100 + n, clock);
      const oneOf = <T>(list: readonly T[]): T => list[Math.floor(own.random() * list.length)]!;
      while (!progress.isOver) {
        const call = idempotent(store, options({ recordWithin: 3_000, wait: oneOf([0, 50]) }), handler);
        await judge.call(call, oneOf(KEYS), oneOf([5, 5, 5, 6]));
        progress.told += 1;
        await clock.sleep(1);
      }
    };
    const callers = [...stores, ...stores, ...stores].map(caller);
    const drawn = Object.values(faults).map((strike) => ({ strike, order: dice.random() }));
    for (const { strike } of drawn.toSorted((a, b) => a.order - b.order)) {
      await calm(60);
      await strike();
    }
    await calm(60);
    progress.isOver = true;
    await Promise.all(callers);

    expectAtMost(judge, 1 + flushes);
    expect(judge.counts()['answer']).toBeGreaterThan(0);
    expect(judge.counts()['store_unavailable'] ?? 0).toBeGreaterThan(0);
  });
});
