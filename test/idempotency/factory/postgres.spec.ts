import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { CallStoreUnavailable } from '@payonce/idempotency';
import { createCallsTable, PostgresCallStore } from '@payonce/idempotency/postgres';
import { type FreshDatabase, freshDatabase, poolAt } from '../../support/database.js';
import { exerciseCallStore } from './exercise-call-store.js';

describe('calls that Postgres remembers', () => {
  exerciseCallStore(async () => {
    const fresh = await freshDatabase();
    const pools: Pool[] = [];
    return {
      connect: async () => {
        const pool = poolAt(fresh.url);
        pools.push(pool);
        return new PostgresCallStore(pool);
      },
      close: async () => {
        await Promise.all(pools.map((pool) => pool.end()));
        await fresh.drop();
      },
    };
  });
});

describe('the table of calls', () => {
  let pool: Pool;
  let fresh: FreshDatabase;

  beforeAll(async () => {
    fresh = await freshDatabase();
    pool = poolAt(fresh.url);
  });
  afterAll(async () => {
    await pool.end();
    await fresh.drop();
  });

  const lock = (name = `i9y:x:${randomUUID()}`) => ({ name, token: randomUUID(), fingerprint: '-' });

  it('is made by the package as the service has it', async () => {
    const made = async () => {
      const { rows } = await pool.query(`
        SELECT attname AS name, concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attcollation) AS made
          FROM pg_attribute WHERE attrelid = 'idempotent_calls'::regclass AND attnum > 0
        UNION ALL SELECT conname, pg_get_constraintdef(oid)
          FROM pg_constraint WHERE conrelid = 'idempotent_calls'::regclass
        UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'idempotent_calls'
         ORDER BY name, made`);
      return rows as unknown[];
    };
    const migrated = await made();
    await pool.query('DROP TABLE idempotent_calls');
    await pool.query(createCallsTable);
    expect(await made()).toEqual(migrated);
    expect(migrated.length).toBeGreaterThan(8);
    await pool.query(createCallsTable); // does nothing where it is there
  });

  it('loses what expired more than an hour ago, and nothing else', async () => {
    const store = new PostgresCallStore(pool);
    const [old, recent, live] = [lock(), lock(), lock()];
    for (const one of [old, recent, live]) await store.take(one, 60_000);
    const age = (name: string, interval: string) =>
      pool.query(`UPDATE idempotent_calls SET expires_at = now() - $2::interval WHERE name = $1`, [
        name,
        interval,
      ]);
    await age(old.name, '61 minutes');
    await age(recent.name, '59 minutes');
    expect([await store.forgetExpired(10), await store.forgetExpired(10)]).toEqual([1, 0]);
    expect(await store.record(old, '{"answer":1}', 1_000)).toBe('gone');
    // Lapsed, and nobody took it: it is still its own.
    expect(await store.record(recent, '{"answer":1}', 1_000)).toBe('held');
  });

  it('is written and asked in one round trip a step', async () => {
    const store = new PostgresCallStore(pool);
    const query = jest.spyOn(pool, 'query');
    const one = lock();
    await store.take(one, 60_000);
    await store.take(lock(one.name), 60_000);
    await store.extend(one, 60_000);
    await store.record(one, '{"answer":1}', 60_000);
    await store.take(lock(one.name), 60_000);
    expect(query).toHaveBeenCalledTimes(5);
    query.mockRestore();
  });

  it('is not written to by those who find a lock or an answer', async () => {
    const store = new PostgresCallStore(pool);
    const one = lock();
    // A row that was updated or locked names the transaction in xmax, or lies elsewhere.
    const stamp = () =>
      pool.query('SELECT ctid, xmin, xmax FROM idempotent_calls WHERE name = $1', [one.name]);
    await store.take(one, 60_000);
    const locked = (await stamp()).rows;
    expect(await store.take(lock(one.name), 60_000)).toMatchObject({ state: 'running' });
    expect((await stamp()).rows).toEqual(locked);
    await store.record(one, '{"answer":1}', 60_000);
    const answered = (await stamp()).rows;
    expect(await store.take(lock(one.name), 60_000)).toMatchObject({ state: 'done' });
    expect((await stamp()).rows).toEqual(answered);
  });

  it('gives no answer in time while a session holds the row, and says so', async () => {
    const store = new PostgresCallStore(pool, 200);
    const one = lock();
    await store.take(one, 60_000);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM idempotent_calls WHERE name = $1 FOR UPDATE', [one.name]);
      await expect(store.record(one, '{"answer":"private-7"}', 60_000)).rejects.toThrow(CallStoreUnavailable);
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
  });

  it('refuses what is not a call, without telling what was in it', async () => {
    const store = new PostgresCallStore(pool);
    const error: unknown = await store
      .take({ ...lock('elsewhere:private-7'), fingerprint: 'private-8' }, 60_000)
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(CallStoreUnavailable);
    expect(String((error as Error).cause)).toMatch(/23514/);
    expect(String((error as Error).cause)).not.toMatch(/private/);
  });
});
