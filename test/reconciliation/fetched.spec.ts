import { entities } from '../../src/entities.js';
import { ManualClock, SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { LedgerPoster } from '../../src/ledger/ledger-poster.js';
import { parsePsps } from '../../src/psp/psps-file.js';
import { type RunResultView } from '../../src/reconciliation/reconciliation.view.js';
import { Reports } from '../../src/reconciliation/reports.js';
import { postAll } from '../support/ledger.js';
import {
  type ApiClient,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
} from '../support/test-environment.js';

/** Reports come from the PSPs by themselves, each is imported once, and what they differ by is found. */
const HOUR_MS = 3_600_000;
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let database: Database;
const clock = new ManualClock(Date.now());

beforeAll(async () => {
  ({ environment, service, client } = await openWithService({ reports: true }));
  for (const n of [1, 2, 3]) {
    for (const first of ['stripe', 'adyen'] as const) {
      paymentOf(await client.post('/v1/payments', orderOf({ first, reference: `o-${n}` }), `${first}-${n}`));
    }
  }
  database = await openDatabase({
    url: environment.database.url,
    entities,
    migrations: [],
    poolSize: 6,
    applicationName: 'fetched-spec',
  });
  await postAll(database.pool, new LedgerPoster(database.pool, new SystemClock()));
  // The first hour that is due ends after all of them.
  clock.advance(Math.max(0, Date.now() - clock.now().getTime()));
});
afterAll(async () => {
  await database.close();
  await environment.close();
});

/** What one process has. */
function reportsOf(): Reports {
  const stripe = {
    name: 'stripe',
    adapter: 'stripe',
    baseUrl: environment.simulator.urls.stripe,
    credentials: { secretKey: 'sk_test_stage' },
    reconciliation: { schedule: '0 * * * *', timeZone: 'Europe/Berlin', slaHours: 0 },
  };
  const config = parsePsps(JSON.stringify({ psps: [stripe] }), 'psps.json', {});
  return new Reports(config, database.pool, clock, new SystemIds(clock));
}

const fetcher = () => reportsOf().fetcherOf('stripe')!;
const runs = (psp: string) =>
  environment.sql<{ period_from: Date; period_to: Date; new_lines: number }>(
    'SELECT period_from, period_to, new_lines FROM reconciliation_runs WHERE psp = $1 ORDER BY period_to',
    [psp],
  );
const calls = () =>
  environment.simulator.calls('stripe').filter(({ path }) => path === '/v1/balance_transactions').length;

it('runs each due time once, in several processes and after a restart, and catches up', async () => {
  clock.advance(HOUR_MS);
  expect(await fetcher().runOnce()).toEqual({ imported: 1, failed: 0 });
  expect(await runs('stripe')).toMatchObject([{ new_lines: 3 }]);
  expect(await environment.sql('SELECT FROM report_lines WHERE NOT is_matched')).toEqual([]);
  const asked = calls();
  // Nothing is due until the next hour, in a process that starts anew neither.
  expect(await fetcher().runOnce()).toEqual({ imported: 0, failed: 0 });
  expect(calls()).toBe(asked);
  clock.advance(3 * HOUR_MS);
  await Promise.all([fetcher().runOnce(), fetcher().runOnce(), fetcher().runOnce()]);
  const found = await runs('stripe');
  expect(found).toHaveLength(4);
  for (const [index, { period_from: from }] of found.entries()) {
    // None of the time is left out.
    if (index > 0) expect(from).toEqual(found[index - 1]!.period_to);
  }
  expect(await environment.sql("SELECT FROM report_fetches WHERE state <> 'done'")).toEqual([]);
  clock.advance(100 * HOUR_MS);
  expect(await fetcher().runOnce()).toEqual({ imported: 31, failed: 0 });
  const caughtUp = await runs('stripe');
  expect(caughtUp[4]!.period_from).toEqual(found[3]!.period_to);
});

it('imports a due time once where two processes read it at once', async () => {
  clock.advance(HOUR_MS);
  const symbol = Symbol.for('payonce.checkpoint');
  const places = globalThis as { [name: symbol]: ((place: string) => Promise<void>) | undefined };
  const before = await runs('stripe');
  const others: Promise<unknown>[] = [];
  places[symbol] = async (place) => {
    if (place !== 'reconciliation:before:commit' || others.length > 0) return;
    others.push(fetcher().runOnce());
    // It waits for the lock of this account; the server has databases of other specs too.
    await eventually(async () => {
      const waiting = await environment.sql(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return waiting.length > 0;
    }, 'the other one waits');
  };
  try {
    expect(await fetcher().runOnce()).toEqual({ imported: 1, failed: 0 });
    // The other one has the same file, and finds it imported.
    expect(await Promise.all(others)).toEqual([{ imported: 1, failed: 0 }]);
  } finally {
    places[symbol] = undefined;
  }
  expect(await runs('stripe')).toHaveLength(before.length + 1);
  expect(await environment.sql("SELECT FROM report_fetches WHERE state <> 'done'")).toEqual([]);
  expect(await environment.sql('SELECT FROM reconciliation_breaks')).toEqual([]);
});

it('tries again where the PSP does not answer, later each time', async () => {
  // The next hour must not be due before the second try.
  clock.advance(HOUR_MS + 1_000 - (clock.now().getTime() % HOUR_MS));
  environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'any', rate: 1, seed: 1 });
  const failing = fetcher();
  expect(await failing.runOnce()).toEqual({ imported: 0, failed: 1 });
  expect(await failing.runOnce()).toEqual({ imported: 0, failed: 0 });
  const [waiting] = (await environment.command('reconcile', 'reports')) as {
    state: string;
    fault: string;
    tries: number;
  }[];
  expect(waiting).toMatchObject({ state: 'due', tries: 1 });
  expect(waiting!.fault).toContain('unknown error');
  await environment.simulator.clearFaults();
  clock.advance(60_000);
  expect(await failing.runOnce()).toEqual({ imported: 1, failed: 0 });
});

it('finds what differs in what Stripe tells by its API, by a command', async () => {
  const [first, second, third] = environment.simulator.ledger('stripe').effects;
  // Reported already, so that another sum of it would be refused.
  await environment.sql('TRUNCATE reconciliation_runs CASCADE');
  environment.simulator.publish('stripe', {
    planted: [
      { seq: first!.seq, difference: 'missing' },
      { seq: second!.seq, difference: 'amount' },
      { seq: third!.seq, difference: 'duplicated' },
    ],
  });
  const from = new Date(Date.now() - HOUR_MS).toISOString();
  const [result] = (await environment.command(
    'reconcile',
    'run',
    '--psp',
    'stripe',
    '--from',
    from,
  )) as RunResultView[];
  expect(result!.breaks.map(({ category }) => category)).toEqual([
    'amount_mismatch',
    'duplicate_effect',
    'timing',
  ]);
  environment.simulator.publish('stripe');
  expect(await environment.command('reconcile', '--psp', 'keyless')).toMatchObject({
    error: { message: 'Say of which --file, or --from when.' },
  });
});

it("fetches Adyen's report once it is announced, and from nowhere else", async () => {
  environment.notify(service.url, {}, ['adyen']);
  const name = environment.simulator.publish('adyen');
  const [run] = await eventually(async () => {
    await environment.command('tasks', 'run', 'reports-adyen');
    const found = await runs('adyen');
    return found.length > 0 ? found : null;
  }, 'the report is imported');
  // Three payments, and the transfer of what is left of them.
  expect(run).toMatchObject({ new_lines: 4 });
  expect(await environment.sql("SELECT FROM reconciliation_breaks WHERE psp = 'adyen'")).toEqual([]);
  const item = {
    eventCode: 'REPORT_AVAILABLE',
    success: true,
    merchantReference: '',
    amount: { value: 0, currency: 'EUR' },
  };
  const foreign = environment.simulator.urls.keyless;
  await environment.tellAsAdyen(service.url, {
    ...item,
    pspReference: 'settlement_detail_report_batch_99.csv',
    reason: `${foreign}/reports/download/settlement_detail_report_batch_99.csv`,
  });
  const refused = await eventually(async () => {
    await environment.command('tasks', 'run', 'reports-adyen');
    const rows = await environment.sql<{ id: string; fault: string }>(
      "SELECT id, fault FROM report_fetches WHERE state = 'refused'",
    );
    return rows.length > 0 ? rows : null;
  }, 'the other one is refused');
  expect(refused).toEqual([
    {
      id: 'settlement_detail_report_batch_99.csv',
      fault: 'the report is announced at another place than reportsBaseUrl',
    },
  ]);
  expect(environment.simulator.calls('keyless')).toEqual([]);

  expect(await environment.sql('SELECT FROM report_fetches WHERE id = $1', [name])).toHaveLength(1);
});
