import { Pool } from 'pg';
import { SystemClock } from '../../src/core/clock.js';
import { ConsoleReader } from '../../src/ops/console-reader.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

/** No list of the console reads a whole table that grows with every payment. `ROWS=1000000` says how long each takes. */
const ROWS = Number(process.env['ROWS'] ?? 60_000);
const merchantId = '01900000-0000-7000-8000-000000000001';
const GROWING = ['payments', 'psp_requests', 'psp_attempts', 'audit_records'];

let database: FreshDatabase;
let pool: Pool;
let reader: ConsoleReader;

beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool({ connectionString: database.url, max: 4 });
  reader = new ConsoleReader(pool, new SystemClock());
  // Ids of the last days, one payment after the other: a tenth failed, one in a thousand open, one in 5,000 stuck.
  const id = `(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - (${ROWS} - n) * 600), 12, '0') || '7000a000' ||
               lpad(to_hex(n), 12, '0'))::uuid`;
  const from = `FROM generate_series(1, ${ROWS}) n`;
  await pool.query(`
    INSERT INTO merchants (id, name, duplicate_window_s, created_at) VALUES ('${merchantId}', 'Shop', 0, now());
    INSERT INTO payments (merchant_id, id, version, reference, status, capture_mode, amount, amount_captured,
           amount_refunded, currency, psp, metadata, candidates, created_at, updated_at)
    SELECT '${merchantId}', ${id}, 1, 'order-' || n, CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'captured' END,
           'automatic', 1000, CASE WHEN n % 10 = 0 THEN 0 ELSE 1000 END, 0, 'EUR', 'stripe', '{}', '[]',
           now() - (${ROWS} - n) * interval '600 ms', now() ${from};
    INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
           psp_idempotency_key, psp_reference, verdict, next_step_at, stuck_at, decided_at, fence, opened_at)
    SELECT '${merchantId}', 'payment-' || ${id} || '-charge', 1, 'charge', ${id}, 'stripe', 1000, 'EUR', n,
           'pi_' || n, CASE WHEN n % 1000 = 1 THEN 'open' ELSE 'effective' END,
           CASE WHEN n % 1000 = 1 AND n % 5000 <> 1 THEN now() END, CASE WHEN n % 5000 = 1 THEN now() END,
           CASE WHEN n % 1000 <> 1 THEN now() END, 1, now() ${from};
    INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, trace_id, request, started_at)
    SELECT merchant_id, entity_key, route, 1, 'execute', 't', '{}', opened_at FROM psp_requests;
    INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
    SELECT '${merchantId}', ${id}, now(), CASE WHEN n % 1000 = 0 THEN 'operator:ada' ELSE 'api-key:1' END, 'x.y',
           'payment:1', '{}' ${from}`);
  await pool.query(`ANALYZE`);
}, 600_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function wholeReads(): Promise<number> {
  const { rows } = await pool.query<{ scans: number }>(
    'SELECT sum(seq_scan)::int AS scans FROM pg_stat_user_tables WHERE relname = ANY ($1)',
    [GROWING],
  );
  return rows[0]!.scans;
}

/** The statistics of a session arrive when it ends, at the latest. */
async function endSessions(): Promise<void> {
  await pool.end();
  pool = new Pool({ connectionString: database.url, max: 4 });
  reader = new ConsoleReader(pool, new SystemClock());
}

const any = { q: null, status: null, psp: null, merchant: null };

it.each<[string, () => Promise<unknown>]>([
  ['the newest payments', () => reader.payments(any, null)],
  ['those of a state', () => reader.payments({ ...any, status: 'failed' }, null)],
  ['those of a state that none has', () => reader.payments({ ...any, status: 'refunded' }, null)],
  [
    'those of a merchant and a PSP',
    () => reader.payments({ ...any, merchant: merchantId, psp: 'stripe' }, null),
  ],
  ['a reference', () => reader.payments({ ...any, q: 'order-777' }, null)],
  ['an id at the PSP', () => reader.payments({ ...any, q: 'pi_777' }, null)],
  ['what is stuck', () => reader.stuck()],
  ['what is open', () => reader.open()],
  ['the overview', () => reader.overview()],
  ['the audit', () => reader.audit(null)],
  ['the audit of a payment', () => reader.auditOf('payment:1')],
])('%s', async (name, read) => {
  await read();
  await endSessions();
  const before = await wholeReads();
  const startedMs = performance.now();
  await read();
  if (process.env['ROWS'])
    console.log(`${name}: ${(performance.now() - startedMs).toFixed(0)} ms of ${ROWS}`);
  await endSessions();
  expect(await wholeReads()).toBe(before);
});

it('pages through all payments without leaving one out', async () => {
  const first = await reader.payments(any, null);
  const second = await reader.payments(any, first.next_cursor);
  const numbers = [...first.data, ...second.data].map(({ reference }) =>
    Number(reference.slice('order-'.length)),
  );
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => ROWS - n));
  // Of 20,000 that were looked at none fits: the next page goes on after them.
  const none = await reader.payments({ ...any, status: 'refunded' }, null);
  expect(none.data).toEqual([]);
  const next = await reader.payments(any, none.next_cursor);
  expect(next.data[0]!.reference).toBe(`order-${ROWS - 20_000}`);
});
