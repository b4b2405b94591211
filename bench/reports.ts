import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { entities } from '../src/entities.js';
import { migrations } from '../migrations/index.js';
import { SystemClock } from '../src/core/clock.js';
import { SystemIds } from '../src/core/ids.js';
import { migrate, openDatabase } from '../src/database/database.js';
import { ReportImporter } from '../src/reconciliation/report-importer.js';
import { stripeReport } from '../src/psp/stripe/stripe-report.js';
import { DIRECTORY, OwnDatabase } from './own-database.js';

/**
 * `npm run bench -- --reports <lines> --attempts <n>`: how long the import of a report takes, beside so many attempts, and
 * what memory. Every thousandth line has another amount, and exactly those are to be found. What the report is held
 * against is written by one statement a table.
 */
/** Where there are as many attempts as that for each line. */
const ATTEMPTS_OF_A_ROUTE = 5;
const CHUNK = 250_000;
const PLANTED_EVERY = 1_000;
const MERCHANT = '00000000-0000-7000-8000-000000000001';
const NAME = `'payment-00000000-0000-7000-8000-' || lpad(n::text, 12, '0') || '-charge'`;
const AT = `timestamptz '2026-11-01 00:00:00Z' + n * interval '100 ms'`;

const FILL = {
  psp_requests: `
    INSERT INTO psp_requests (merchant_id, entity_key, route, operation, payment_id, psp, amount, currency, psp_idempotency_key,
                              psp_reference, verdict, fence, opened_at, decided_at)
    SELECT '${MERCHANT}', ${NAME}, 1, 'charge', ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'stripe', 1999,
           'EUR', md5(n::text), 'pi_' || n, 'effective', 1, ${AT}, ${AT} FROM generate_series($1::int, $2::int) n`,
  psp_attempts: `
    INSERT INTO psp_attempts (merchant_id, entity_key, route, attempt, kind, outcome, trace_id, request, started_at, ended_at)
    SELECT '${MERCHANT}', ${NAME}, 1, a, 'execute', CASE a WHEN $3 THEN 'succeeded' ELSE 'unknown' END, 't', '{}',
           ${AT}, ${AT} FROM generate_series($1::int, $2::int) n, generate_series(1, $3::int) a`,
  ledger_transactions: `
    INSERT INTO ledger_transactions (merchant_id, source, kind, psp, psp_reference, payment_id, entity_key, occurred_at,
                                     debit, credit, currency, amount)
    SELECT '${MERCHANT}', ${NAME} || '#1', 'charge', 'stripe', 'pi_' || n,
           ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${NAME}, ${AT},
           'psp_clearing', 'merchant_payable', 'EUR', 1999 FROM generate_series($1::int, $2::int) n`,
} as const;

/** False where other differences are found than were planted. */
export async function benchReports(
  lines: number,
  attempts: number,
  say: (...lines: readonly string[]) => void,
): Promise<boolean> {
  const own = await OwnDatabase.open(process.env['DATABASE_URL']);
  const file = join(DIRECTORY, 'report.csv');
  const database = await openDatabase({
    url: own.url,
    entities,
    migrations,
    poolSize: 2,
    applicationName: 'bench',
  });
  try {
    await migrate(database.dataSource);
    const routes = Math.max(lines, Math.ceil(attempts / ATTEMPTS_OF_A_ROUTE));
    await fill(own, routes, Math.ceil(attempts / routes), say);
    await write(file, lines);
    say(`${lines} lines of ${(statSync(file).size / 1e6).toFixed(0)} MB beside ${attempts} attempts`);
    const clock = new SystemClock();
    const importer = new ReportImporter(database.pool, clock, new SystemIds(clock));
    const began = performance.now();
    let read = began;
    const report = {
      psp: 'stripe',
      format: stripeReport,
      fileName: 'report.csv',
      bytes: createReadStream(file),
      by: 'bench',
    };
    await importer.import(report, (count) => {
      read = performance.now();
      if (count % 1_000_000 === 0) say(`${count} lines read after ${seconds(began, read)} s`);
    });
    const [readS, allS] = [seconds(began, read), seconds(began, performance.now())];
    const { rows } = await database.pool.query<{ category: string; count: number }>(
      'SELECT category, count(*)::int AS count FROM reconciliation_breaks GROUP BY 1',
    );
    const { rows: matched } = await database.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM reconciliation_matches',
    );
    say(
      `read ${readS} s, all ${allS} s: ${Math.round(lines / Number(allS))} lines a second; peak ${peakMb()} MB of memory`,
      `matched ${matched[0]!.count}; breaks ${JSON.stringify(rows)}`,
      execFileSync('df', ['-h', '--output=avail', '.'], { encoding: 'utf8' }).trim().replace('\n', ' '),
    );
    const mismatches = rows.find(({ category }) => category === 'amount_mismatch')?.count ?? 0;
    return (
      matched[0]!.count === lines && mismatches === Math.floor(lines / PLANTED_EVERY) && rows.length === 1
    );
  } finally {
    rmSync(file, { force: true });
    await database.close();
    await own.drop();
  }
}

async function fill(
  { client }: OwnDatabase,
  routes: number,
  attemptsOfRoute: number,
  say: (...lines: readonly string[]) => void,
): Promise<void> {
  const began = performance.now();
  // Triggers and foreign keys guard what applications write; these rows are sound as they are.
  await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
  await client.query("INSERT INTO merchants (id, name, created_at) VALUES ($1, 'Bench', now())", [MERCHANT]);
  for (const [table, sql] of Object.entries(FILL)) {
    for (let from = 1; from <= routes; from += CHUNK) {
      const range = [from, Math.min(from + CHUNK - 1, routes)];
      await client.query(sql, table === 'psp_attempts' ? [...range, attemptsOfRoute] : range);
    }
    say(`${table} filled after ${seconds(began, performance.now())} s`);
  }
  await client.query('RESET session_replication_role; RESET synchronous_commit');
  await client.query('VACUUM (ANALYZE) psp_requests, psp_attempts, ledger_transactions');
}

async function write(file: string, lines: number): Promise<void> {
  const out = createWriteStream(file);
  out.write(
    'balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id,payment_intent_id\r\n',
  );
  for (let n = 1; n <= lines; n++) {
    const gross = n % PLANTED_EVERY === 0 ? 2_006 : 1_999;
    const at = new Date(Date.UTC(2026, 10, 1) + n * 100).toISOString().slice(0, 19).replace('T', ' ');
    const money = [gross, 55, gross - 55].map((amount) => (amount / 100).toFixed(2));
    if (!out.write(`txn_${n},${at},eur,${money.join(',')},charge,ch_${n},pi_${n}\r\n`))
      await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

function seconds(from: number, to: number): string {
  return ((to - from) / 1_000).toFixed(1);
}

/** Of this process alone; Postgres sorts and joins within its own work_mem. */
function peakMb(): string {
  const [, kb = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (Number(kb) / 1_024).toFixed(0);
}
