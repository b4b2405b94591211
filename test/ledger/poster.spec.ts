import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { entities } from '../../src/entities.js';
import { SystemClock } from '../../src/core/clock.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { LedgerPoster } from '../../src/ledger/ledger-poster.js';
import { Ledger } from '../../src/ledger/ledger.js';
import { post, type Subject } from '../../src/ledger/post.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { postAll } from '../support/ledger.js';

/** The poster over a database of its own: what it reads, in which order, and what the database refuses. */
const DAY = '2026-11-22';
const merchantId = randomUUID();
let fresh: FreshDatabase;
let database: Database;
let poster: LedgerPoster;

beforeAll(async () => {
  fresh = await freshDatabase();
  const tables = { entities, migrations: [] };
  database = await openDatabase({
    url: fresh.serviceUrl,
    ...tables,
    poolSize: 4,
    applicationName: 'poster-spec',
  });
  poster = new LedgerPoster(database.pool, new SystemClock());
  await database.pool.query(
    `INSERT INTO merchants (id, name, duplicate_window_s, created_at) VALUES ($1, 'Shop', 0, now())`,
    [merchantId],
  );
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

type Sql = Pick<Client, 'query'>;

/** An effective charge, as its commit leaves it; with the event, unless the sweep is to find it. */
async function charge(sql: Sql, { amount = 1_000, hasEvent = true, psp = 'north' } = {}): Promise<string> {
  const id = randomUUID();
  await sql.query(
    `WITH event AS (
       INSERT INTO events (merchant_id, id, type, subject, data, at)
       SELECT $1, gen_random_uuid(), 'payment.captured', 'payment:' || $2::uuid, '{}', now() WHERE $5)
     INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
                               psp_idempotency_key, verdict, fence, opened_at, decided_at)
     VALUES ($1, 'payment-' || $2::uuid || '-charge', 1, 'charge', $2::uuid, $4, $3, 'EUR', $2::uuid::text, 'effective', 1,
             '${DAY}T10:00:00Z', '${DAY}T10:00:01Z')`,
    [merchantId, id, amount, psp, hasEvent],
  );
  return id;
}

async function posted(id: string): Promise<number> {
  const { rows } = await database.pool.query('SELECT FROM ledger_transactions WHERE payment_id = $1', [id]);
  return rows.length;
}

const refusal = async (sql: string, values: unknown[] = []) => {
  const error = await database.pool.query(sql, values).catch((thrown: unknown) => thrown);
  return error instanceof Error ? ((error as { constraint?: string }).constraint ?? error.message) : 'taken';
};

it('posts what was there before it, and what happens from then on, once', async () => {
  const before = await charge(database.pool, { hasEvent: false });
  await poster.runOnce();
  const since = await charge(database.pool);
  await postAll(database.pool, poster);
  await poster.runOnce();
  expect([await posted(before), await posted(since)]).toEqual([1, 1]);
});

it('takes a capture back that failed after it was posted, without waiting for the sweep', async () => {
  const id = randomUUID();
  const captured = (type: string) => `
    INSERT INTO events (merchant_id, id, type, subject, data, at)
    VALUES ('${merchantId}', gen_random_uuid(), '${type}', 'payment:${id}', '{}', now());`;
  await database.pool.query(`${captured('payment.captured')}
    INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
                              psp_idempotency_key, verdict, fence, opened_at, decided_at)
    VALUES ('${merchantId}', 'payment-${id}-capture', 1, 'capture', '${id}', 'north', 700, 'EUR', '${id}', 'effective', 1,
            now(), now())`);
  await postAll(database.pool, poster);
  expect(await posted(id)).toBe(1);
  await database.pool.query(`${captured('payment.capture_failed')}
    INSERT INTO payment_transitions (merchant_id, payment_id, version, event, from_status, to_status, actor, entity_key, at)
    VALUES ('${merchantId}', '${id}', 3, 'capture_reversed', 'captured', 'authorized', 'psp:north', 'payment-${id}-capture', now())`);
  await postAll(database.pool, poster);
  expect(await posted(id)).toBe(2);
});

it('waits for a transaction that is older than what it sees, and then posts what that one did', async () => {
  const slow = new Client({ connectionString: fresh.url });
  await slow.connect();
  try {
    await slow.query('BEGIN');
    // It has its place in the order now, and appears later than the one that follows.
    const late = await charge(slow);
    const quick = await charge(database.pool);
    await poster.runOnce();
    await slow.query('COMMIT');
    await postAll(database.pool, poster);
    expect([await posted(late), await posted(quick)]).toEqual([1, 1]);
  } finally {
    await slow.end();
  }
});

it('posts each once, however many posters run', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => charge(database.pool)));
  const others = Array.from({ length: 3 }, () => new LedgerPoster(database.pool, new SystemClock()));
  expect(await postAll(database.pool, poster, ...others)).toBe(20);
  for (const id of ids) expect(await posted(id)).toBe(1);
});

it('takes more than a batch that one transaction wrote', async () => {
  const { rows } = await database.pool.query<{ count: number }>(
    `WITH id AS MATERIALIZED (SELECT gen_random_uuid() AS id FROM generate_series(1, 2100)), route AS (
       INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
                                 psp_idempotency_key, verdict, fence, opened_at, decided_at)
       SELECT $1, 'payment-' || id || '-charge', 1, 'charge', id, 'south', 5, 'EUR', id::text, 'effective', 1, now(), now()
         FROM id), event AS (
       INSERT INTO events (merchant_id, id, type, subject, data, at)
       SELECT $1, gen_random_uuid(), 'payment.captured', 'payment:' || id, '{}', now() FROM id RETURNING 1)
     SELECT count(*)::int AS count FROM event`,
    [merchantId],
  );
  expect(rows[0]!.count).toBe(2_100);
  expect(await postAll(database.pool, poster)).toBe(2_100);
});

it('reads what it posts and not the other routes of the merchant, of which the planner knows nothing yet', async () => {
  const client = await database.pool.connect();
  const read = async () => {
    const { rows } = await client.query<{ read: number }>(
      `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
        WHERE relname IN ('psp_requests', 'payments', 'orphan_effects', 'refunds', 'payouts')`,
    );
    return rows[0]!.read;
  };
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
                                 psp_idempotency_key, verdict, fence, opened_at, decided_at)
       SELECT $1, 'payment-' || id || '-charge', 1, 'charge', id, 'west', 5, 'EUR', id::text, 'effective', 1, now(), now()
         FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 3000)) AS many`,
      [merchantId],
    );
    const { rows: subjects } = await client.query<Subject>(
      `SELECT merchant_id AS "merchantId", 'payment-' || payment_id AS name FROM psp_requests WHERE psp = 'west' LIMIT 20`,
    );
    const before = await read();
    expect(await post(client, subjects)).toBe(20);
    expect((await read()) - before).toBe(20);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('holds an orphan effect as money of no merchant until it is given back', async () => {
  const id = randomUUID();
  const key = `payment-${id}-charge`;
  const heldBy = async (account: string) => {
    const { rows } = await database.pool.query<{ sum: number }>(
      `SELECT coalesce(sum(amount), 0)::int AS sum FROM ledger_lines WHERE payment_id = $1 AND account = $2`,
      [id, account],
    );
    return rows[0]!.sum;
  };
  const route = `INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
                   psp_idempotency_key, verdict, fence, opened_at, decided_at)
                 VALUES ($1, $2, 1, $3, $4, 'north', 900, 'EUR', left($2, 64), $5, 1, now(), now())`;
  await database.pool.query(route, [merchantId, key, 'charge', id, 'ruled_out']);
  await database.pool.query(
    `INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, trace_id, request, started_at, ended_at)
     VALUES ($1, $2, 1, 1, 'execute', 'succeeded', 'spec', '{}', now(), now())`,
    [merchantId, key],
  );
  await poster.runOnce();
  expect(await heldBy('psp_clearing')).toBe(0);
  await database.pool.query(
    `INSERT INTO orphan_effects (merchant_id, entity_key, route, object, attempt, operation, psp, psp_reference, amount,
                                 currency, found_at, due_at, status)
     VALUES ($1, $2, 1, 1, 1, 'charge', 'north', 'n_1', 900, 'EUR', now(), now(), 'open')`,
    [merchantId, key],
  );
  await poster.runOnce();
  expect([await heldBy('psp_clearing'), await heldBy('orphans'), await heldBy('merchant_payable')]).toEqual([
    900, -900, 0,
  ]);
  const back = `payment-${id}-orphan-1`;
  await database.pool.query(route, [merchantId, back, 'refund', id, 'effective']);
  await database.pool.query(`UPDATE orphan_effects SET status = 'compensated' WHERE entity_key = $1`, [key]);
  await poster.runOnce();
  expect([await heldBy('psp_clearing'), await heldBy('orphans'), await heldBy('refunds')]).toEqual([0, 0, 0]);
});

it('goes on where transactions are counted from the beginning again, as after a dump and a restore', async () => {
  await database.pool.query("UPDATE ledger_position SET read_below = '99999999999'");
  const id = await charge(database.pool);
  await postAll(database.pool, poster);
  expect(await posted(id)).toBe(1);
});

it('reads what was posted as two entries beside what is one row', async () => {
  await database.pool.query(
    `INSERT INTO ledger_transactions (merchant_id, source, kind, psp, psp_reference, occurred_at)
     VALUES ($1, 'old', 'charge', 'elder', 'old_1', '2001-01-01Z')`,
    [merchantId],
  );
  await database.pool.query(
    `INSERT INTO ledger_entries (merchant_id, source, line, account, psp, currency, amount, occurred_at)
     VALUES ($1, 'old', 1, 'psp_clearing', 'elder', 'EUR', 500, '2001-01-01Z'),
            ($1, 'old', 2, 'merchant_payable', 'elder', 'EUR', -500, '2001-01-01Z')`,
    [merchantId],
  );
  const ledger = new Ledger(database.pool);
  const day = { from: '2001-01-01', to: '2001-01-01' };
  const { entries } = await ledger.statement(day, {}, 10, null);
  expect(entries.map(({ kind, line, account, amount }) => [kind, line, account, amount])).toEqual([
    ['charge', 1, 'psp_clearing', 500],
    ['charge', 2, 'merchant_payable', -500],
  ]);
  expect((await ledger.balances(day)).psps).toMatchObject([{ psp: 'elder', taken: 500, held: 500 }]);
  const { rows } = await database.pool.query(
    `SELECT source, currency, amount::int FROM ledger_effects WHERE psp = 'elder' AND psp_reference = 'old_1'`,
  );
  expect(rows).toEqual([{ source: 'old', currency: 'EUR', amount: 500 }]);
});

describe('the database refuses', () => {
  const entry = `INSERT INTO ledger_entries (merchant_id, source, line, account, psp, currency, amount, occurred_at)
                 SELECT merchant_id, source, l.line, l.account, psp, l.currency, l.amount, occurred_at
                   FROM (SELECT * FROM ledger_transactions ORDER BY source LIMIT 1) t, `;

  it.each([
    ['a single entry', `(VALUES (3, 'fees', 'EUR', 5)) AS l (line, account, currency, amount)`],
    [
      'entries that balance only across currencies',
      `(VALUES (3, 'fees', 'EUR', 5), (4, 'bank', 'USD', -5)) AS l (line, account, currency, amount)`,
    ],
    [
      'entries that do not sum to zero',
      `(VALUES (3, 'fees', 'EUR', 5), (4, 'bank', 'EUR', -4)) AS l (line, account, currency, amount)`,
    ],
  ])('%s', async (_what, lines) => {
    expect(await refusal(`${entry}${lines}`)).toBe('ledger_entries_balance');
  });

  it.each([
    ['half a posting', { credit: null }],
    ['an amount from an account to itself', { credit: 'fees' }],
    ['no amount', { amount: 0 }],
    ['an amount that is negative', { amount: -5 }],
    ['an account that there is not', { debit: 'pockets' }],
    ['a currency in words', { currency: 'euro' }],
  ])('%s', async (_what, wrong) => {
    const row = { debit: 'fees', credit: 'bank', currency: 'EUR', amount: 5, ...wrong };
    const { debit, credit, currency, amount } = row;
    const insert = `INSERT INTO ledger_transactions (merchant_id, source, kind, psp, occurred_at, debit, credit, currency, amount)
                    VALUES (gen_random_uuid(), 'x', 'fee', 'north', now(), $1, $2, $3, $4)`;
    expect(await refusal(insert, [debit, credit, currency, amount])).toBe('ledger_transactions_balance');
  });

  it('a second transaction of one source', async () => {
    const again = `INSERT INTO ledger_transactions SELECT * FROM ledger_transactions LIMIT 1`;
    expect(await refusal(again)).toBe('ledger_transactions_pkey');
  });

  it('a dispute in two entries, which a process of the version before would post again', async () => {
    const { rowCount } = await database.pool.query(
      `INSERT INTO ledger_transactions (merchant_id, source, kind, psp, occurred_at)
       VALUES ($1, 'dispute-x#1', 'dispute', 'north', now()) ON CONFLICT DO NOTHING`,
      [merchantId],
    );
    expect(rowCount).toBe(0);
  });

  it.each(['ledger_transactions', 'ledger_entries'])('a change of %s', async (table) => {
    const old = `(VALUES (5, 'orphans', 'EUR', 5), (6, 'disputes', 'EUR', -5)) AS l (line, account, currency, amount)`;
    await database.pool.query(`${entry}${old} ON CONFLICT DO NOTHING`);
    expect(await refusal(`DELETE FROM ${table}`)).toBe(`${table} is append-only`);
    expect(await refusal(`UPDATE ${table} SET psp = 'other'`)).toBe(`${table} is append-only`);
  });
});

it('keeps the sums of days as the entries are, and pages through a statement', async () => {
  const ledger = new Ledger(database.pool);
  const days = { from: '2000-01-01', to: '2100-01-01' };
  const { psps, trial } = await ledger.balances(days);
  const { rows } = await database.pool.query(
    `SELECT account, currency, coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS debit,
            coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS credit
       FROM ledger_lines GROUP BY account, currency ORDER BY currency, account`,
  );
  expect(trial).toEqual(rows);
  expect(psps.find(({ psp }) => psp === 'south')).toMatchObject({ taken: 10_500, held: 10_500, fees: 0 });

  const filter = { account: 'psp_clearing', psp: 'south' } as const;
  const seen = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const page = await ledger.statement(days, filter, 500, cursor);
    for (const { source } of page.entries) seen.add(source);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  expect(seen.size).toBe(2_100);
  let streamed = 0;
  for await (const { amount } of ledger.entries(days, filter)) streamed += amount;
  expect(streamed).toBe(10_500);
  await expect(ledger.statement(days, filter, 10, 'bm9uZQ')).rejects.toMatchObject({
    code: 'validation_failed',
  });
});
