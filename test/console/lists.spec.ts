import { type Pool } from 'pg';
import { SystemClock } from '../../src/core/clock.js';
import { AuditChain } from '../../src/audit/audit-chain.js';
import { ActivityCounter } from '../../src/console/activity-counter.js';
import { type Span } from '../../src/console/activity-views.js';
import { Activity } from '../../src/console/activity.js';
import { ConsoleReader } from '../../src/console/console-reader.js';
import { type PageView } from '../../src/core/page.view.js';
import { type OpenRow } from '../../src/console/console-views.js';
import { OpenOperations } from '../../src/console/open-operations.js';
import { type CustomerRow } from '../../src/console/installation-views.js';
import { InstallationReader } from '../../src/console/installation-reader.js';
import { type FreshDatabase, freshDatabase, poolAt } from '../support/database.js';
import { eventually } from '../support/eventually.js';

/** No list of the console reads a whole table that grows with every payment. `ROWS=1000000` says how long each takes. */
const ROWS = Number(process.env['ROWS'] ?? 60_000);
/** Of every tenth payment. */
const CUSTOMER = Buffer.alloc(16, 7);
const merchantId = '01900000-0000-7000-8000-000000000001';
const HOUR_MS = 3_600_000;
const GROWING = [
  'payments',
  'payouts',
  'webhook_inbox',
  'webhook_deliveries',
  'psp_requests',
  'psp_attempts',
  'audit_records',
  'records',
  'witness',
];

let database: FreshDatabase;
let pool: Pool;
let reader: ConsoleReader;
let open: OpenOperations;
let installation: InstallationReader;
let activity: Activity;
let counter: ActivityCounter;
/** The counter leaves the minute under way alone: by its clock the newest payments are of a minute ago. */
let counterAheadMs = 60_000;

beforeAll(async () => {
  database = await freshDatabase();
  pool = poolAt(database.url);
  readers();
  // Ids of the last days, one payment after the other: a tenth failed, one in 200 open, one in 5,000 stuck.
  const id = `(lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - (${ROWS} - n) * 600), 12, '0') || '7000a000' ||
               lpad(to_hex(n), 12, '0'))::uuid`;
  const from = `FROM generate_series(1, ${ROWS}) n`;
  await pool.query(`
    INSERT INTO merchants (id, name, duplicate_window_s, created_at) VALUES ('${merchantId}', 'Shop', 0, now());
    INSERT INTO payments (merchant_id, id, version, reference, status, capture_mode, amount, amount_captured,
           amount_refunded, currency, psp, metadata, candidates, customer_hash, customer_reference, created_at, updated_at)
    SELECT '${merchantId}', ${id}, 1, 'order-' || n, CASE WHEN n % 10 = 0 THEN 'failed' ELSE 'captured' END,
           'automatic', 1000, CASE WHEN n % 10 = 0 THEN 0 ELSE 1000 END, 0, 'EUR', 'stripe', '{}', '[]',
           CASE WHEN n % 10 = 0 THEN decode('${CUSTOMER.toString('hex')}', 'hex') END, CASE WHEN n % 10 = 0 THEN 'c-7' END,
           now() - (${ROWS} - n) * interval '600 ms', now() ${from};
    INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency,
           psp_idempotency_key, psp_reference, verdict, next_step_at, stuck_at, decided_at, fence, opened_at)
    SELECT '${merchantId}', 'payment-' || ${id} || '-charge', 1, 'charge', ${id}, 'stripe', 1000, 'EUR', n,
           'pi_' || n, CASE WHEN n % 200 = 1 THEN 'open' ELSE 'effective' END,
           CASE WHEN n % 200 = 1 AND n % 5000 <> 1 THEN now() END, CASE WHEN n % 5000 = 1 THEN now() END,
           CASE WHEN n % 200 <> 1 THEN now() END, 1, now() - (${ROWS} - n) * interval '600 ms' ${from};
    INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, trace_id, request, started_at, ended_at, outcome, latency_ms)
    SELECT merchant_id, entity_key, route, 1, 'execute', 't', '{}', opened_at, opened_at,
           CASE verdict WHEN 'effective' THEN 'succeeded' ELSE 'unknown' END, 100 FROM psp_requests ORDER BY opened_at;
    INSERT INTO webhook_inbox (psp, event_id, type, facts, received_at, trace_id, state, decided_at)
    SELECT 'stripe', 'evt_' || n, 'x', '[]', now() - (${ROWS} - n) * interval '600 ms', 't', 'applied', now() ${from};
    INSERT INTO payouts (merchant_id, recipient, id, version, reference, status, amount, currency, metadata, candidates, previous, created_at, updated_at)
    SELECT '${merchantId}', 'driver-' || n, ${id}, 1, 'salary-' || n, 'paid', 1000, 'EUR', '{}', '[]', NULL, now(), now() FROM generate_series(1, 20000) n;
    INSERT INTO webhook_endpoints (merchant_id, id, url, slot, secret, created_at, updated_at)
    VALUES ('${merchantId}', '${merchantId}', 'https://shop.example', 1, '', now(), now());
    INSERT INTO events (merchant_id, id, type, subject, data, at, fanned_out_at)
    SELECT '${merchantId}', ${id}, 'payment.captured', 'payment:1', '{}', now(), now() FROM generate_series(1, 20000) n;
    INSERT INTO webhook_deliveries (merchant_id, event_id, endpoint_id, status, created_at, updated_at, next_at)
    SELECT merchant_id, id, '${merchantId}', 'delivered', at, at, NULL FROM events;
    INSERT INTO audit_records (merchant_id, id, at, actor, action, subject, detail)
    SELECT '${merchantId}', ${id}, now(), CASE WHEN n % 20 = 0 THEN 'operator:ada' ELSE 'api-key:1' END, 'x.y',
           'payment:1', '{}' ${from}`);
  await pool.query(`ANALYZE`);
  // All minutes of these days; those before them are empty.
  await pool.query(`
    INSERT INTO activity_minutes
    SELECT minute, now(), true FROM generate_series(date_trunc('minute', now() - interval '8 days'),
           now() - ${ROWS} * interval '600 ms' - interval '1 minute', interval '1 minute') g (minute)`);
  while ((await counter.runOnce()).counted > 30);
}, 600_000);
afterAll(async () => {
  await pool.end();
  await database.drop();
});

function readers(): void {
  const clock = new SystemClock();
  reader = new ConsoleReader(pool);
  open = new OpenOperations(pool);
  installation = new InstallationReader(pool);
  activity = new Activity(pool, clock);
  counter = new ActivityCounter(pool, { now: () => new Date(Date.now() + counterAheadMs) });
}

async function wholeReads(): Promise<number> {
  const { rows } = await pool.query<{ scans: number }>(
    'SELECT sum(seq_scan)::int AS scans FROM pg_stat_user_tables WHERE relname = ANY ($1)',
    [GROWING],
  );
  return rows[0]!.scans;
}

/** A session hands its statistics over before it leaves pg_stat_activity, which is a while after its client has left. */
async function endSessions(): Promise<void> {
  await pool.end();
  pool = poolAt(database.url);
  readers();
  const others = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  await eventually(async () => (await pool.query(others)).rowCount === 0, 'the sessions before to be gone');
}

const any = {
  q: null,
  customers: [],
  status: null,
  psp: null,
  merchant: null,
  currency: null,
  amountFrom: null,
  amountTo: null,
  createdFrom: null,
  createdBefore: null,
  failure: null,
  order: 'newest',
} as const;
const every = { order: 'oldest', psp: null, merchant: null, currency: null, reason: null } as const;

it.each<[string, () => Promise<unknown>]>([
  ['the newest payments', () => reader.payments(any, null)],
  ['the oldest payments', () => reader.payments({ ...any, order: 'oldest' }, null)],
  ['the largest', () => reader.payments({ ...any, currency: 'EUR', order: 'largest' }, null)],
  ['the customers', () => installation.customers(null)],
  ['those of a state', () => reader.payments({ ...any, status: 'failed' }, null)],
  ['those of a state that none has', () => reader.payments({ ...any, status: 'refunded' }, null)],
  [
    'those of a merchant and a PSP',
    () => reader.payments({ ...any, merchant: merchantId, psp: 'stripe' }, null),
  ],
  ['a reference', () => reader.payments({ ...any, q: 'order-777' }, null)],
  ['a customer', () => reader.payments({ ...any, q: 'cleo', customers: [CUSTOMER] }, null)],
  ['an id at the PSP', () => reader.payments({ ...any, q: 'pi_777' }, null)],
  ['what a reference begins with', () => reader.payments({ ...any, q: 'order-77' }, null)],
  ['what an id begins with', () => reader.payments({ ...any, q: '019aa5c0' }, null)],
  [
    'those of an amount and a day',
    () => reader.payments({ ...any, currency: 'EUR', amountFrom: 900, createdFrom: new Date() }, null),
  ],
  ['what is stuck', () => open.list({ ...every, list: 'stuck' }, null)],
  ['the largest of what is open', () => open.list({ ...every, list: 'open', order: 'largest' }, null)],
  ['the overview', () => reader.overview(merchantId)],
  ['the charts of an hour', () => activity.read('hour')],
  ['the charts of a day', () => activity.read('day')],
  ['the charts of a week', () => activity.read('week')],
  ['a pass of counting', () => counter.runOnce()],
  ['refunds', () => installation.refunds(null)],
  ['disputes', () => installation.disputes('open', null)],
  ['payouts', () => installation.payouts(null, null, null)],
  ['a recipient', () => installation.payouts('driver-7', null, null)],
  ['merchants', () => installation.merchants(null)],
  ['what PSPs notified', () => installation.inbox('all', null)],
  ['notifications that are undecided', () => installation.inbox('undecided', null)],
  ['deliveries', () => installation.deliveries(false, null)],
  ['what is not delivered', () => installation.deliveries(true, null)],
  ['the audit', () => new AuditChain(pool).page(null)],
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

it('lists a customer once, with a bounded count, however many pages are read', async () => {
  const found: CustomerRow[] = [];
  let pages = 0;
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page: PageView<CustomerRow> = await installation.customers(cursor);
    found.push(...page.data);
    cursor = page.next_cursor;
    pages += 1;
  }
  expect(pages).toBeGreaterThan(2);
  expect(found).toMatchObject([
    { merchant: 'Shop', customer: 'c-7', payments: 1_000, captured: 0, last_payment: `order-${ROWS}` },
  ]);
});

it('lists files for banks with their answers, and files of banks, the newest first', async () => {
  await pool.query(`
    INSERT INTO bank_batches (psp, number, id, kind, format, message_id, file_name, due_on, transactions, total, bytes, sha256, sealed, formed_at)
    SELECT 'bank', n, gen_random_uuid(), 'credit_transfer', 'pain.001.001.09', 'M' || n, 'file-' || n || '.xml', '2026-11-20', 2, 1234, 1, repeat('a', 64), '',
           now() + n * interval '1 s' FROM generate_series(1, 2) n;
    INSERT INTO bank_files (psp, sha256, name, bytes, modified_at, state, fault, ours, "unknown", received_at)
    VALUES ('bank', repeat('b', 64), 'answer.xml', 1, now(), 'refused', 'is no XML', 0, 0, now())`);
  expect((await installation.bankBatches()).data).toMatchObject([
    {
      file_name: 'file-2.xml',
      amount: 1_234,
      currency: 'EUR',
      state: 'formed',
      answered: 0,
      transactions: 2,
      sent_at: null,
    },
    { file_name: 'file-1.xml' },
  ]);
  expect((await installation.bankFiles()).data).toMatchObject([
    { name: 'answer.xml', state: 'refused', fault: 'is no XML' },
  ]);
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

it('counts each payment and each call once, and again what was undecided', async () => {
  const sum = async (span: Span) => {
    const { payments, psps } = await activity.read(span);
    const of = (name: 'succeeded' | 'failed' | 'undecided') =>
      payments.reduce((total, point) => total + point[name], 0);
    return {
      succeeded: of('succeeded'),
      failed: of('failed'),
      undecided: of('undecided'),
      calls: psps[0]?.calls,
    };
  };
  const week = await sum('week');
  const days = Math.min(ROWS, (7 * 24 * 3_600_000) / 600);
  expect(week.succeeded + week.failed + week.undecided).toBeGreaterThanOrEqual(days * 0.999);
  expect(week.calls).toBeGreaterThanOrEqual(days * 0.999);
  expect(Math.abs(week.failed / (week.succeeded + week.failed) - 0.1)).toBeLessThan(0.001);
  const newest = await pool.query<{ id: string }>(
    "UPDATE payments SET status = 'processing' WHERE reference = $1 RETURNING id",
    [`order-${ROWS - 3_000}`],
  );
  const recount = () =>
    pool.query(
      'UPDATE activity_minutes SET is_settled = false WHERE minute = (SELECT date_trunc($1, created_at) FROM payments WHERE id = $2)',
      ['minute', newest.rows[0]!.id],
    );
  await recount();
  await counter.runOnce();
  expect((await sum('week')).undecided).toBe(0);
  // Counted half an hour after it, it is counted again at twice its age.
  counterAheadMs += HOUR_MS;
  await counter.runOnce();
  expect((await sum('week')).undecided).toBe(1);
  await pool.query("UPDATE payments SET status = 'captured' WHERE id = $1", [newest.rows[0]!.id]);
  // It was left unsettled, so it is counted again by itself.
  await counter.runOnce();
  expect((await sum('week')).undecided).toBe(1);
  counterAheadMs += 3 * HOUR_MS;
  await counter.runOnce();
  expect((await sum('week')).undecided).toBe(0);
  const unsettled = await pool.query('SELECT FROM activity_minutes WHERE NOT is_settled');
  expect(unsettled.rows.length).toBeLessThanOrEqual(3);
  // What is older than a week is forgotten.
  await pool.query(
    "INSERT INTO activity_minutes VALUES (date_trunc('minute', now() - interval '9 days'), now(), false)",
  );
  expect((await counter.runOnce()).forgotten).toBeGreaterThanOrEqual(1);
});

it.each(['oldest', 'newest', 'largest'] as const)(
  'pages through what is open, the %s first',
  async (order) => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: PageView<OpenRow> = await open.list({ ...every, list: 'open', order }, cursor);
      found.push(...page.data.map(({ entity_key: key }) => key));
      cursor = page.next_cursor;
    } while (cursor !== null);
    const { rows } = await pool.query<{ key: string }>(
      "SELECT entity_key AS key FROM psp_requests WHERE verdict = 'open' AND next_step_at IS NOT NULL",
    );
    expect(rows.length).toBeGreaterThan(200);
    // All have one amount, and are told apart by their keys.
    expect(found.toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
    expect(found).toEqual(order === 'oldest' ? found.toSorted() : found.toSorted().toReversed());
  },
);

it('refuses a cursor that is none', async () => {
  const cursor = Buffer.from('["yesterday","x"]').toString('base64url');
  await expect(open.list({ ...every, list: 'open' }, cursor)).rejects.toMatchObject({
    code: 'validation_failed',
  });
});
