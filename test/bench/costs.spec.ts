import { type Client } from 'pg';
import { recordCharge, type RecordedCommit } from '../../bench/charge-statements.js';
import { paramsForOne } from '../../src/database/commit/commit-statement.js';
import { KNOWS_ORDERS } from '../../src/database/commit/lane.js';
import { onDatabase, type FreshDatabase, freshDatabase } from '../support/database.js';

/**
 * What one payment writes. A change that adds to it raises a number here, and says in docs/performance.md what for.
 */
const COSTS = {
  statements: 2,
  parameters: 47,
  inserts: {
    events: 1,
    idempotency_keys: 1,
    // The bench's payments name two pairs.
    payment_metadata: 2,
    payment_transitions: 2,
    payments: 1,
    psp_attempts: 1,
    psp_requests: 1,
  },
  updates: { idempotency_keys: 1, payments: 1, psp_attempts: 1, psp_requests: 1 },
  // No index holds what changes in them, and their pages have room: no index entry.
  hotUpdates: { payments: 1, psp_attempts: 1 },
  // By table, every index for each row that was inserted or updated; a partial index counts as a whole one.
  indexEntries: {
    events: 3,
    idempotency_keys: 6,
    payment_metadata: 2,
    payment_transitions: 2,
    // Two of them only of payments that name a customer's reference or e-mail address.
    payments: 6,
    // One of them over blocks of pages (BRIN), which rows that come in the order of time hardly touch.
    psp_attempts: 2,
    psp_requests: 14,
  },
};

interface Written {
  readonly table: string;
  readonly inserts: number;
  readonly updates: number;
  readonly hotUpdates: number;
  readonly indexes: number;
}

/** The conditions of indexes in which a plain payment has no entry, and one of an order only those that name it. */
const OF_FEW =
  "'{holds_order,(order_reference IS NOT NULL),(disputes IS NOT NULL),(amount_overpaid > 0)}'::text[]";

/** Tables written to by the transaction that asks. */
const WRITTEN = `
SELECT relname AS table, n_tup_ins::int AS inserts, n_tup_upd::int AS updates, n_tup_hot_upd::int AS "hotUpdates",
       (SELECT count(*)::int FROM pg_index
         WHERE indrelid = relid AND NOT coalesce(pg_get_expr(indpred, indrelid) = ANY (${OF_FEW}) AND NOT ($1 AND pg_get_expr(indpred, indrelid) LIKE '%order%'), false)) AS indexes
  FROM pg_stat_xact_user_tables WHERE n_tup_ins + n_tup_upd > 0 ORDER BY relname`;

let database: FreshDatabase;

beforeAll(async () => {
  database = await freshDatabase();
});

afterAll(() => database.drop());

/** Other payments and attempts, which fill the pages between the two commits of this one. */
const OTHERS = [
  `INSERT INTO payments SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'order_reference', null, 'holds_order', null))).*
     FROM payments p, generate_series(1, 100)`,
  `INSERT INTO psp_attempts SELECT (jsonb_populate_record(a, jsonb_build_object('attempt', n))).*
     FROM psp_attempts a, generate_series(2, 101) n`,
];

const merchantId = '01900000-0000-7000-8000-000000000001';

it('makes a payment with so many statements, parameters, rows and index entries, and no more', async () => {
  const commits = await recordCharge(merchantId);
  const written = await onDatabase(database.url, (client) => writtenBy(client, commits));
  expect(costsOf(commits, written)).toEqual(COSTS);
});

it('makes a payment of an order with the row of the order, an update of it, and its event', async () => {
  await onDatabase(database.url, (client) =>
    client.query(`INSERT INTO merchants (id, name, created_at) VALUES ($1, 'Shop', now())`, [merchantId]),
  );
  const order = { reference: 'order-77', amountDue: null, inParts: null, replaces: false };
  const commits = await recordCharge(merchantId, order);
  const written = await onDatabase(database.url, (client) => writtenBy(client, commits, true));
  const { inserts, updates, hotUpdates, indexEntries } = COSTS;
  expect(costsOf(commits, written)).toEqual({
    statements: 2,
    parameters: COSTS.parameters + 6,
    inserts: { ...inserts, events: 2, orders: 1 },
    updates: { ...updates, orders: 1 },
    hotUpdates: { ...hotUpdates, orders: 1 },
    indexEntries: { ...indexEntries, events: 6, orders: 3, payments: indexEntries.payments + 2 },
  });
});

function costsOf(commits: readonly RecordedCommit[], written: readonly Written[]): object {
  const counts = (of: (row: Written) => number) =>
    Object.fromEntries(written.filter((row) => of(row) > 0).map((row) => [row.table, of(row)]));

  return {
    statements: commits.length,
    parameters: commits.reduce((sum, { shape }) => sum + shape.parameters.length, 0),
    inserts: counts(({ inserts }) => inserts),
    updates: counts(({ updates }) => updates),
    hotUpdates: counts(({ hotUpdates }) => hotUpdates),
    indexEntries: counts(
      ({ inserts, updates, hotUpdates, indexes }) => (inserts + updates - hotUpdates) * indexes,
    ),
  };
}

/** `ofOrder`: indexes of payments of orders count, too. */
async function writtenBy(
  client: Client,
  [opening, settling]: readonly RecordedCommit[],
  ofOrder = false,
): Promise<Written[]> {
  const written = async () => (await client.query<Written>(WRITTEN, [ofOrder])).rows;
  const write = (commit: RecordedCommit) =>
    client.query(commit.shape.one, paramsForOne(commit.shape, commit));
  await client.query(KNOWS_ORDERS);
  await client.query('BEGIN');
  await write(opening!);
  const opened = await written();
  for (const others of OTHERS) await client.query(others);
  const before = new Map((await written()).map((row) => [row.table, row]));
  await write(settling!);
  return (await written()).map((row) => {
    const first = opened.find(({ table }) => table === row.table);
    const since = (name: 'inserts' | 'updates' | 'hotUpdates') =>
      row[name] - (before.get(row.table)?.[name] ?? 0) + (first?.[name] ?? 0);
    return { ...row, inserts: since('inserts'), updates: since('updates'), hotUpdates: since('hotUpdates') };
  });
}
