import { Client, type Pool } from 'pg';
import { type MigrationInterface } from 'typeorm';
import { migrations } from '../../migrations/index.js';
import { emptyDatabase, type FreshDatabase, poolAt } from '../support/database.js';
import { migrateDatabase } from '../support/migrated.js';

/**
 * The migrations since the last release, over tables with rows, while payments go on. What 0.2.0 had was installed before it
 * was released, and is not run again.
 */
const RELEASED = 'WallsAroundTheInstallation1700000000181';
/** Tables that payments write. */
const HOT = ['payments', 'psp_requests', 'psp_attempts', 'payment_transitions', 'idempotency_keys', 'events'];
/** Those that keep writers out. */
const BLOCKING = ['ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'];
const ROWS = 50_000;
const MOST_MS = 1_000;
const merchantId = '01900000-0000-7000-8000-000000000001';

const since = migrations.findIndex(({ name }) => name === RELEASED) + 1;
let fresh: FreshDatabase;
let pool: Pool;

const run = (until: number) => migrateDatabase(fresh, migrations.slice(0, until), 'migration-locks');

beforeAll(async () => {
  fresh = await emptyDatabase();
  pool = poolAt(fresh.url);
  await run(since);
  await pool.query(`
    INSERT INTO merchants (id, name, duplicate_window_s, created_at) VALUES ('${merchantId}', 'Shop', 0, now());
    INSERT INTO payments (merchant_id, id, version, reference, status, capture_mode, amount, amount_captured, amount_refunded,
                          currency, psp, metadata, candidates, created_at, updated_at)
    SELECT '${merchantId}', gen_random_uuid(), 1, 'order-' || n, 'captured', 'automatic', n, n, 0, 'EUR', 'stripe',
           '{"colour": "blue"}', '[]', now(), now() FROM generate_series(1, ${ROWS}) n`);
});
afterAll(async () => {
  await pool.end();
  await fresh.drop();
});

/** What a migration that reads or writes a table whole changes of it: its file, and the indexes that it has. */
async function shapes(): Promise<Map<string, { file: string; indexes: string[] }>> {
  const { rows } = await pool.query<{ name: string; file: string; indexes: string[] }>(
    `SELECT c.relname AS name, pg_relation_filenode(c.oid)::text AS file,
            array(SELECT x.relname || ' ' || pg_relation_filenode(x.oid) FROM pg_index JOIN pg_class x ON x.oid = indexrelid
                   WHERE indrelid = c.oid ORDER BY 1)::text[] AS indexes
       FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1)`,
    [HOT],
  );
  return new Map(rows.map(({ name, ...shape }) => [name, shape]));
}

/** Looks at locks until it is told to stop; returns for how long at most each table was closed to writers, in ms. */
async function watch(stop: AbortSignal): Promise<Map<string, number>> {
  const longest = new Map<string, number>();
  const closedSince = new Map<string, number>();
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  while (!stop.aborted) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT DISTINCT relname AS name FROM pg_locks JOIN pg_class c ON c.oid = relation
         JOIN pg_stat_activity USING (pid)
        WHERE granted AND mode = ANY ($1) AND relname = ANY ($2) AND application_name = 'migration-locks'`,
      [BLOCKING, HOT],
    );
    const now = performance.now();
    const closed = new Set(rows.map(({ name }) => name));
    for (const name of HOT) {
      if (!closed.has(name)) closedSince.delete(name);
      else closedSince.set(name, closedSince.get(name) ?? now);
      longest.set(name, Math.max(longest.get(name) ?? 0, now - (closedSince.get(name) ?? now)));
    }
  }
  await client.end();
  return longest;
}

it('locks no table that payments write for more than a moment, and reads none whole under a lock', async () => {
  const stop = new AbortController();
  const watched = watch(stop.signal);
  const wrong: string[] = [];
  try {
    for (let n = since; n < migrations.length; n++) {
      const before = await shapes();
      const migration: MigrationInterface = new migrations[n]!();
      const isTransaction = migration.transaction !== false;
      // Two processes start at once: one of them migrates.
      await Promise.all([run(n + 1), run(n + 1)]);
      const after = await shapes();
      for (const name of HOT) {
        if (after.get(name)!.file !== before.get(name)!.file)
          wrong.push(`${migration.name} writes ${name} anew`);
        // None that is built beside work can be built in a transaction.
        const isBuilt = after.get(name)!.indexes.some((index) => !before.get(name)!.indexes.includes(index));
        if (isTransaction && isBuilt)
          wrong.push(`${migration.name} builds an index of ${name} in a transaction`);
      }
    }
  } finally {
    stop.abort();
  }
  const longest = await watched;
  expect(wrong).toEqual([]);
  for (const [name, ms] of longest) expect([name, ms < MOST_MS]).toEqual([name, true]);
  process.stdout.write(
    `closed to writers for at most, in ms: ${JSON.stringify(Object.fromEntries(longest))}\n`,
  );
});

it('indexes what was there before', async () => {
  const { rows } = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM payment_metadata');
  expect(rows).toEqual([{ n: ROWS }]);
  const { rows: broken } = await pool.query('SELECT indexrelid::regclass FROM pg_index WHERE NOT indisvalid');
  expect(broken).toEqual([]);
});

it('may be run again where an earlier try ended half way', async () => {
  await pool.query('ALTER INDEX payments_reference RENAME TO payments_reference_id');
  await pool.query("DELETE FROM schema_migrations WHERE name = 'IndexesBesideWork1700000000201'");
  await run(migrations.length);
  const { rows } = await pool.query<{ is: boolean }>(
    "SELECT to_regclass('payments_reference') IS NOT NULL AND to_regclass('payments_reference_id') IS NULL AS is",
  );
  expect(rows).toEqual([{ is: true }]);
});
