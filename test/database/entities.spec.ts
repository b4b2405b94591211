import { columnsOf } from '../../src/database/commit/columns.js';
import { auditRecords } from '../../src/database/audit.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { eventRecords } from '../../src/database/event.js';
import { entities } from '../../src/entities.js';
import { idempotencyKeys } from '../../src/idempotency/idempotency-key.table.js';
import { stagedJobs } from '../../src/jobs/staged-jobs.js';
import { duplicateGuards } from '../../src/payments/duplicate-guard.js';
import { payments, paymentTransitions } from '../../src/payments/payment.table.js';
import { payouts, payoutTransitions } from '../../src/payouts/payout.table.js';
import { refunds } from '../../src/refunds/refund.table.js';
import {
  nonExecutionProofs,
  orphanEffects,
  pspAttempts,
  pspRequests,
} from '../../src/request-storage/route.table.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

/** Entities say again what migrations made: they hold each other. */
const WITHOUT_ENTITY = [
  // TypeORM's own, and the table of @payonce/idempotency.
  'schema_migrations',
  'idempotent_calls',
  // One statement each.
  'rate_buckets',
  'operation_traces',
  'api_key_checksum',
  'sign_in_tries',
  // Written and read by SQL of sets alone, and held by triggers.
  'ledger_transactions',
  'ledger_entries',
  'ledger_days',
  'ledger_due',
  'ledger_position',
  'reconciliation_runs',
  'report_lines',
  'reconciliation_matches',
  'reconciliation_breaks',
  'report_fetches',
  'break_notes',
  'bank_batches',
  'bank_instructions',
  'bank_files',
  'activity_minutes',
  'activity_payments',
  'activity_calls',
  'psp_breakers',
  'psp_returns',
  'psp_open_breakers',
  'payout_limits',
  'payment_metadata',
];
/** By table: of a type that TypeORM does not know. The database fills it, and SQL by hand reads it. */
const WITHOUT_PROPERTY = { events: ['xid'] };

let fresh: FreshDatabase;
let database: Database;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await openDatabase({
    url: fresh.url,
    entities,
    migrations: [],
    poolSize: 2,
    applicationName: 'entities-spec',
  });
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

type Columns = Record<string, { type: string; nullable: boolean }>;

/** By table, as migrations made them. */
async function migrated(): Promise<Map<string, { columns: Columns; primary: string[] }>> {
  const { rows } = await database.pool.query<{ table: string; columns: Columns; primary: string[] }>(`
    SELECT c.relname AS table,
           (SELECT json_object_agg(attname, json_build_object('type', format_type(atttypid, atttypmod),
                                                              'nullable', NOT attnotnull))
              FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
           (SELECT array_agg(a.attname::text ORDER BY k.n)
              FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, n)
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum
             WHERE i.indrelid = c.oid AND i.indisprimary) AS primary
      FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace`);
  return new Map(rows.map(({ table, columns, primary }) => [table, { columns, primary }]));
}

it('every table has an entity with its columns, their types, what may be null, and its primary key', async () => {
  const tables = await migrated();
  for (const name of WITHOUT_ENTITY) expect(tables.delete(name)).toBe(true);
  for (const [table, names] of Object.entries(WITHOUT_PROPERTY)) {
    const { columns } = tables.get(table)!;
    for (const name of names) {
      expect(columns).toHaveProperty(name);
      delete columns[name];
    }
  }
  const { entityMetadatas, driver } = database.dataSource;
  const declared = entityMetadatas.map(({ tableName, columns, primaryColumns }) => [
    tableName,
    {
      columns: Object.fromEntries(
        columns.map((column) => {
          const type = `${driver.normalizeType(column)}${column.isArray ? '[]' : ''}`;
          return [column.databaseName, { type, nullable: column.isNullable }];
        }),
      ),
      primary: primaryColumns.map(({ databaseName }) => databaseName),
    },
  ]);
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(tables));
});

it.each([
  auditRecords,
  duplicateGuards,
  eventRecords,
  idempotencyKeys,
  nonExecutionProofs,
  orphanEffects,
  payments,
  paymentTransitions,
  payouts,
  payoutTransitions,
  pspAttempts,
  pspRequests,
  refunds,
  stagedJobs,
])('$name is a table that commits can be written to, under the primary key of its entity', (table) => {
  expect(columnsOf(table).size).toBeGreaterThan(table.primary.length);
});
