import { randomUUID } from 'node:crypto';
import { type PoolClient } from 'pg';
import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { Problem } from '../../src/core/problem.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { sqlState } from '../../src/database/sql-state.js';
import { entities } from '../../src/entities.js';
import { type PayoutLimit, PayoutLimits } from '../../src/merchants/payout-limits.js';
import { type FreshDatabase, freshDatabase, newMerchant } from '../support/database.js';
import { Bank, payoutOf, payoutsInMemory, pspsOf, sequencesIn } from '../support/payouts-in-memory.js';

const clock = new SystemClock();
const ids = new SystemIds(clock);
const bank = new Bank('first');
let fresh: FreshDatabase;
let database: Database;
let limits: PayoutLimits;
/** Two processes, as to the database. */
let stores: PostgresStore[];
let environments: ReturnType<typeof payoutsInMemory>[];
let merchantId: string;

beforeAll(async () => {
  fresh = await freshDatabase();
  const options = { entities, migrations: [], poolSize: 4, applicationName: 'payout-limits-spec' };
  database = await openDatabase({ url: fresh.url, ...options });
  const { pool } = database;
  limits = new PayoutLimits(database.dataSource, clock, ids);
  stores = [1, 2].map(
    () => new PostgresStore({ url: fresh.serviceUrl, pool, clock, random: Math.random, lanes: 4 }),
  );
  environments = stores.map((store) =>
    payoutsInMemory({ store, clock, ids, psps: pspsOf([bank]), sequences: sequencesIn(store) }),
  );
});

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database.close();
  await fresh.drop();
});

beforeEach(async () => {
  merchantId = await newMerchant(database);
  bank.fates.length = 0;
});

const limit = (more: Partial<PayoutLimit>) =>
  limits.set(merchantId, { currency: 'EUR', per: 'merchant', amount: null, count: null, ...more }, 'cli:ada');
const send = (to: string, more: Parameters<typeof payoutOf>[0] = {}, by = 0) =>
  environments[by]!.send(merchantId, randomUUID(), payoutOf({ to, ...more }));

/** What it was refused for, else its status. */
async function outcome(sent: ReturnType<typeof send>): Promise<string> {
  try {
    return (await sent).payout.status;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, limit: of } = error.document() as { code: string; limit?: string };
    return `${code} ${of ?? ''}`;
  }
}

it.each([
  [{ amount: 10_000 }, 'merchant_amount'],
  [{ count: 10 }, 'merchant_count'],
] as const)('lets fifty at once come to the limit %j and no further', async (most, name) => {
  await limit(most);
  const all = Array.from({ length: 50 }, (_, n) => outcome(send(`recipient-${n}`, { amount: 1_000 }, n % 2)));
  const refused = `payout_limit_exceeded ${name}`;
  expect((await Promise.all(all)).toSorted()).toEqual([
    ...Array<string>(10).fill('paid'),
    ...Array<string>(40).fill(refused),
  ]);
  const { rows } = await database.pool.query<{ amount: number }>(
    'SELECT sum(amount)::int AS amount FROM payouts WHERE merchant_id = $1',
    [merchantId],
  );
  expect(rows).toEqual([{ amount: 10_000 }]);
});

it('judges a commit only once the one before it has ended', async () => {
  await limit({ count: 2 });
  const { payout } = await send('ada');
  const open = (client: PoolClient, to: string) =>
    client.query(
      `INSERT INTO payouts SELECT (jsonb_populate_record(
         p, jsonb_build_object('recipient', $2::text, 'id', $3::text))).* FROM payouts p WHERE p.id = $1`,
      [payout.id, to, ids.uuid()],
    );
  const [one, other] = await Promise.all([database.pool.connect(), database.pool.connect()]);
  try {
    await one.query('BEGIN');
    await open(one, 'bob');
    await other.query("SET lock_timeout = '200ms'");
    await expect(open(other, 'cay')).rejects.toMatchObject({ code: sqlState.LOCK_NOT_AVAILABLE });
    await one.query('COMMIT');
    await expect(open(other, 'cay')).rejects.toMatchObject({ constraint: 'payouts_limit_merchant_count' });
  } finally {
    one.release(true);
    other.release(true);
  }
});

it('holds each recipient to a limit of its own, and a currency without one to none', async () => {
  await limit({ per: 'recipient', amount: 1_500, count: 5 });
  const { payout } = await send('ada');
  expect(await outcome(send('ada', { previous: payout.id }))).toBe('payout_limit_exceeded recipient_amount');
  expect(await outcome(send('ada', { previous: payout.id, amount: 500 }))).toBe('paid');
  expect(await outcome(send('bob'))).toBe('paid');
  expect(await outcome(send('bob', { currency: 'USD' }))).toMatch('payout_sequence_stale');
  expect(await outcome(send('cay', { currency: 'USD' }))).toBe('payout_limit_exceeded currency');
  await limit({ per: 'recipient', count: 1 });
  await limit({ currency: 'USD', count: 0 });
  expect(await outcome(send('cay', { currency: 'USD' }))).toBe('payout_limit_exceeded merchant_count');
  expect(await outcome(send('cay'))).toBe('paid');
});

it('gives its share back when the payout fails or comes back, not while its outcome is unknown', async () => {
  await limit({ count: 1 });
  bank.fates.push('declines');
  expect(await outcome(send('ada'))).toBe('failed');
  bank.fates.push(...Array<'loses_request'>(50).fill('loses_request'));
  expect(await outcome(send('bob'))).toBe('processing');
  expect(await outcome(send('cay'))).toBe('payout_limit_exceeded merchant_count');
  await database.pool.query(
    "UPDATE payouts SET status = 'returned', sealed = NULL WHERE merchant_id = $1 AND recipient = 'bob'",
    [merchantId],
  );
  bank.fates.length = 0;
  expect(await outcome(send('cay'))).toBe('paid');
});

it('counts what was paid out today before the limit was set, and nothing of yesterday', async () => {
  await send('ada');
  await send('bob');
  // An id keeps the time at which it was made: what was opened yesterday has one of yesterday.
  await database.pool.query(
    "UPDATE payouts SET created_at = created_at - interval '24 hours' WHERE merchant_id = $1 AND recipient = 'bob'",
    [merchantId],
  );
  await limit({ count: 2 });
  expect([await outcome(send('cay')), await outcome(send('dan'))]).toEqual([
    'paid',
    'payout_limit_exceeded merchant_count',
  ]);
});

it('is kept by an administrator, on record', async () => {
  await limit({ amount: 5, count: 2 });
  await limit({ per: 'recipient', count: 1 });
  expect(await limits.list(merchantId)).toEqual([
    { currency: 'EUR', per: 'merchant', amount: 5, count: 2 },
    { currency: 'EUR', per: 'recipient', amount: null, count: 1 },
  ]);
  await limits.remove(merchantId, { currency: 'EUR', per: 'merchant' }, 'cli:ada');
  await expect(limits.remove(merchantId, { currency: 'EUR', per: 'merchant' }, 'cli:ada')).rejects.toThrow(
    'not_found',
  );
  for (const wrong of [{ amount: -1 }, { amount: 1.5 }, { count: NaN }, {}, { currency: 'EURO', count: 1 }]) {
    await expect(limit(wrong)).rejects.toThrow('validation_failed');
  }
  const other = { currency: 'EUR', per: 'merchant', amount: 1, count: null } as const;
  await expect(limits.set(randomUUID(), other, 'cli:ada')).rejects.toThrow('not_found');
  const { rows } = await database.pool.query<{ action: string }>(
    'SELECT action FROM audit_records WHERE merchant_id = $1 ORDER BY id',
    [merchantId],
  );
  expect(rows.map(({ action }) => action)).toEqual([
    'payout_limit.set',
    'payout_limit.set',
    'payout_limit.removed',
  ]);
});
