import { randomUUID } from 'node:crypto';
import { entities } from '../../src/entities.js';
import { Completer } from '../../src/idempotency/completer.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { IdempotentRunner } from '../../src/idempotency/idempotent-runner.js';
import { decideNext, makeCall, type Operation, pause, reply } from '../../src/idempotency/operation.js';
import { Reaper } from '../../src/idempotency/reaper.js';
import { SystemClock } from '../../src/core/clock.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { Encryption } from '../../src/core/encryption.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

const DAY_MS = 24 * 3_600_000;
const LEASE_MS = 1_000;
const merchantId = randomUUID();
const clock = new SystemClock();
const ids = new SystemIds(clock);

let fresh: FreshDatabase;
let database: Database;
let store: PostgresStore;
let keyed: IdempotentRunner;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase({
    url: fresh.url,
    entities,
    migrations: [],
    poolSize: 4,
    applicationName: 'keys-spec',
  });
  store = new PostgresStore({
    url: fresh.url,
    pool: database.pool,
    tenantPool: database.pool,
    clock,
    random: Math.random,
    lanes: 2,
  });
  keyed = new IdempotentRunner({
    store,
    clock,
    ids,
    seal: new Encryption(Buffer.alloc(32, 3)),
    leaseMs: LEASE_MS,
    deadlineMs: 5_000,
  });
});

afterAll(async () => {
  await store.close();
  await database.close();
  await fresh.drop();
});

interface Letter {
  readonly text: string;
  readonly isSent?: true;
}

/** Sends a letter: `send` is the call to the outside world. */
function sending(send: (text: string) => Promise<string>): Operation<Letter, Letter, string> {
  return {
    name: 'POST /letters',
    readsFirst: false,
    begin: (ask) => ({ subjectId: randomUUID(), params: { ...ask }, decision: makeCall(ask, []) }),
    load: async (_id, params) => ({ text: String(params['text']) }),
    next: (state) => (state.isSent ? reply(201, JSON.stringify({ text: state.text })) : makeCall(state, [])),
    call: (state) => send(state.text),
    settle: (state, receipt) => decideNext({ text: `${state.text} ${receipt}`, isSent: true }, []),
    evidence: () => [],
    busy: () => pause('accepted', 202, '{}', { until: null, isAccepted: false }),
  };
}

const request = (key: string, input: Letter, waitMs = 0) => ({
  merchantId,
  key,
  actor: 'test',
  traceId: 't',
  input,
  waitMs,
});

const code = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'no problem';
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
};

/** A call that does not come back before it is let go. */
function held() {
  let letGo = () => {};
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  let calls = 0;
  return {
    letGo: () => letGo(),
    calls: () => calls,
    send: async () => {
      calls += 1;
      await gate;
      return `sent ${calls}`;
    },
  };
}

describe('a request under an idempotency key', () => {
  it('runs once and is answered with the same bytes ever after', async () => {
    const { letGo, send, calls } = held();
    letGo();
    const key = randomUUID();
    const first = await keyed.run(sending(send), request(key, { text: 'hello' }));
    const again = await keyed.run(sending(send), request(key, { text: 'hello' }));
    expect(first).toEqual({ status: 201, body: '{"text":"hello sent 1"}', replayed: false });
    expect(again).toEqual({ ...first, replayed: true });
    expect(calls()).toBe(1);
  });

  it('is refused when its key was used for something else', async () => {
    const { letGo, send } = held();
    letGo();
    const key = randomUUID();
    await keyed.run(sending(send), request(key, { text: 'hello' }));
    expect(await code(keyed.run(sending(send), request(key, { text: 'goodbye' })))).toBe(
      'idempotency_key_reused',
    );
    const elsewhere = { ...sending(send), name: 'POST /parcels' };
    expect(await code(keyed.run(elsewhere, request(key, { text: 'hello' })))).toBe('idempotency_key_reused');
  });

  it('is told to come back while the first one runs, or waits for it when asked to', async () => {
    const { letGo, send, calls } = held();
    const key = randomUUID();
    const first = keyed.run(sending(send), request(key, { text: 'hello' }));
    await until(async () => calls() === 1);
    expect(await code(keyed.run(sending(send), request(key, { text: 'hello' })))).toBe('request_in_progress');
    const waiting = keyed.run(sending(send), request(key, { text: 'hello' }, 900));
    letGo();
    expect((await waiting).body).toBe((await first).body);
    expect(calls()).toBe(1);
  });

  it('is taken over once the lock has lapsed, and the run that held it can no longer write', async () => {
    const lost = held();
    const key = randomUUID();
    const zombie = keyed.run(sending(lost.send), request(key, { text: 'hello' }));
    zombie.catch(() => {});
    await until(async () => lost.calls() === 1);
    // The lock is the database's to judge: it lapses there, not on our clock.
    await database.pool.query(
      `UPDATE idempotency_keys SET resumable_at = now() - interval '1 s' WHERE key = $1`,
      [key],
    );
    const second = held();
    second.letGo();
    const answer = await keyed.run(sending(second.send), request(key, { text: 'hello' }));
    lost.letGo();
    expect(await code(zombie)).toBe('request_in_progress');
    const [row] = await store.find(idempotencyKeys, { merchantId, key });
    expect(row).toMatchObject({ recoveryPoint: 'finished', responseBody: answer.body });
  });
});

describe('the completer', () => {
  it('takes up what was abandoned, and leaves alone what another run works on', async () => {
    const abandoned = randomUUID();
    const running = held();
    const lost = held();
    keyed.run(sending(lost.send), request(abandoned, { text: 'left' })).catch(() => {});
    const live = randomUUID();
    const working = keyed.run(sending(running.send), request(live, { text: 'live' }));
    await until(async () => lost.calls() === 1 && running.calls() === 1);
    await database.pool.query(
      `UPDATE idempotency_keys SET resumable_at = now() - interval '1 s' WHERE key = $1`,
      [abandoned],
    );
    const done = held();
    done.letGo();
    const failures: unknown[] = [];
    keyed.register([sending(done.send)]);
    const completer = new Completer(store, keyed, ids, (error) => failures.push(error));
    expect(await completer.runOnce()).toEqual({ done: 1, failed: 0 });
    expect(failures).toEqual([]);
    const [row] = await store.find(idempotencyKeys, { merchantId, key: abandoned });
    expect(row).toMatchObject({ recoveryPoint: 'finished', responseBody: '{"text":"left sent 1"}' });
    running.letGo();
    expect((await working).body).toBe('{"text":"live sent 1"}');
  });
});

describe('the reaper', () => {
  it('forgets what finished long ago, reports what did not, and keeps the rest', async () => {
    const { letGo, send } = held();
    letGo();
    const [old, unfinished, recent] = [randomUUID(), randomUUID(), randomUUID()];
    for (const key of [old, recent]) await keyed.run(sending(send), request(key, { text: 'hello' }));
    const stuck = held();
    keyed.run(sending(stuck.send), request(unfinished, { text: 'hello' })).catch(() => {});
    await until(async () => stuck.calls() === 1);
    await database.pool.query(
      `UPDATE idempotency_keys SET created_at = created_at - interval '40 days',
         finished_at = finished_at - interval '40 days' WHERE key = ANY($1)`,
      [[old, unfinished]],
    );
    const reaper = new Reaper(database.pool, 30 * DAY_MS);
    expect(await reaper.runOnce()).toEqual({ deleted: 1, unfinished: 1 });
    const kept = async (key: string) => (await store.find(idempotencyKeys, { merchantId, key })).length;
    expect([await kept(old), await kept(unfinished), await kept(recent)]).toEqual([0, 1, 1]);
    stuck.letGo();
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await holds()) return;
    await clock.sleep(5);
  }
  throw new Error('it did not come to pass');
}
