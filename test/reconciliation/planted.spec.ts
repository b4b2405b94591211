import { type Difference, type Effect, type Planted } from '@payonce/simulator';
import { entities } from '../../src/entities.js';
import { SystemClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { LedgerPoster } from '../../src/ledger/ledger-poster.js';
import { adyenReport } from '../../src/psp/adyen/adyen-report.js';
import { ReportImporter } from '../../src/reconciliation/report-importer.js';
import { stripeReport } from '../../src/psp/stripe/stripe-report.js';
import { postAll } from '../support/ledger.js';
import { randomFrom } from '../support/random.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  type ApiClient,
  atRest,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
  type PspName,
} from '../support/test-environment.js';

/**
 * What the service did at the PSPs, held against their reports: exactly the differences that were planted are found, no
 * more and no fewer, whatever the seed draws.
 */
const SEEDS = 100;
const formats = { stripe: stripeReport, adyen: adyenReport() } as const;
type Reporting = keyof typeof formats;
const START = new Date(0);

let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
let database: Database;
let importer: ReportImporter;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService({}, { role: 'all' }));
  const apiKey = await environment.merchant(['payments:read', 'payments:write', 'payouts:write']);
  const { ApiClient } = await import('../support/test-environment.js');
  client = new ApiClient(() => service.url, apiKey);
  await Promise.all(
    ([...Array(8).keys()] as number[]).map((n) => makeEffects(n % 2 === 0 ? 'stripe' : 'adyen', n)),
  );
  environment.notify(service.url, {}, ['stripe']);
  const back = environment
    .effects()
    .findLast(({ operation, psp }) => operation === 'refund' && psp === 'stripe')!;
  expect(environment.simulator.fail('stripe', back.psp_reference)).toBe(true);
  const failed = "SELECT FROM refunds WHERE status = 'failed'";
  await eventually(async () => (await environment.sql(failed)).length === 1, 'a refund came back');
  await service.stop();
  const tables = { entities, migrations: [] };
  database = await openDatabase({
    url: environment.database.url,
    ...tables,
    poolSize: 3,
    applicationName: 'planted-spec',
  });
  const clock = new SystemClock();
  await postAll(database.pool, new LedgerPoster(database.pool, clock));
  importer = new ReportImporter(database.pool, clock, new SystemIds(clock), () => ({
    slaMs: 0,
    toleranceMs: 60_000,
    toleranceAmounts: {},
  }));
});
afterAll(async () => {
  await database?.close();
  await environment.close();
});

/** A charge, a capture in part, and refunds of both. */
async function makeEffects(first: PspName, n: number): Promise<void> {
  const pay = async (capture: 'automatic' | 'manual') => {
    const order = orderOf({ first, capture, amount: 2_000 + n, reference: `${capture}-${n}` });
    return paymentOf(await client.until(() => client.post('/v1/payments', order, `${capture}-${n}`), atRest))
      .id;
  };
  const [charged, authorized] = await Promise.all([pay('automatic'), pay('manual')]);
  const body = { amount: 1_500 };
  await client.until(() => client.post(`/v1/payments/${authorized}/capture`, body, `capture-${n}`), atRest);
  refundOf(await refunded(client, charged, { amount: 300, reference: 'a' }, `refund-a-${n}`));
  refundOf(await refunded(client, authorized, { amount: 400 }, `refund-b-${n}`));
}

beforeEach(() =>
  environment.sql(
    'TRUNCATE reconciliation_matches, reconciliation_breaks, report_lines, reconciliation_runs CASCADE',
  ),
);

async function take(psp: Reporting, csv: string): Promise<string> {
  async function* bytes() {
    const all = Buffer.from(csv);
    // In pieces that cut lines and characters apart.
    for (let at = 0; at < all.length; at += 777) yield all.subarray(at, at + 777);
  }
  const report = {
    psp,
    format: formats[psp],
    fileName: 'report.csv',
    bytes: bytes(),
    from: START,
    by: 'spec',
  };
  return (await importer.import({ ...report, to: new Date() })).runId;
}

const breaks = async (open = true) =>
  (
    await environment.sql<{ found: string }>(
      `SELECT category || ' ' || psp_reference AS found FROM reconciliation_breaks
        WHERE (closed_at IS NULL) = $1 ORDER BY 1`,
      [open],
    )
  ).map(({ found }) => found);

const shown: Readonly<Record<Difference, string>> = {
  missing: 'missing_at_psp',
  duplicated: 'duplicate_effect',
  amount: 'amount_mismatch',
  made_up: 'missing_here',
};

/** Effects that a report has a line for. */
const reported = (psp: Reporting): Effect[] =>
  environment.simulator
    .ledger(psp)
    .effects.filter(({ operation }) => operation !== 'authorize' && operation !== 'void');

const expectedOf = (planted: readonly Planted[], effects: readonly Effect[]) =>
  planted
    .flatMap(({ seq, difference }) => {
      const { psp_reference: id, undone_at: undoneAt } = effects.find((each) => each.seq === seq)!;
      const found = `${shown[difference]} ${id}${difference === 'made_up' ? 'X' : ''}`;
      return undoneAt === undefined ? [found] : [found, found];
    })
    .toSorted();

it.each(['stripe', 'adyen'] as const)('finds nothing where %s reports what it did', async (psp) => {
  const runId = await take(psp, environment.simulator.report(psp));
  expect(await breaks()).toEqual([]);
  const unmatched = 'SELECT FROM report_lines WHERE NOT is_matched';
  expect(await environment.sql(unmatched)).toEqual([]);
  // The same bytes again are the same run.
  expect(await take(psp, environment.simulator.report(psp))).toBe(runId);
});

it(`finds exactly what was planted, with ${SEEDS} seeds`, async () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = randomFrom(seed);
    const psp: Reporting = random() < 0.5 ? 'stripe' : 'adyen';
    const effects = reported(psp);
    const chosen = effects.filter(() => random() < 0.25);
    const kinds = Object.keys(shown) as Difference[];
    const planted = chosen.map(({ seq }) => ({
      seq,
      difference: kinds[Math.floor(random() * kinds.length)]!,
    }));
    await environment.sql(
      'TRUNCATE reconciliation_matches, reconciliation_breaks, report_lines, reconciliation_runs CASCADE',
    );
    await take(psp, environment.simulator.report(psp, { planted }));
    expect([seed, await breaks()]).toEqual([seed, expectedOf(planted, effects)]);

    // What was late comes with the next report, and closes its break.
    const late = planted.filter(({ difference }) => difference === 'missing').map(({ seq }) => seq);
    if (late.length === 0) continue;
    await take(psp, environment.simulator.report(psp, { only: late }));
    const stays = planted.filter(({ difference }) => difference !== 'missing');
    expect([seed, await breaks()]).toEqual([seed, expectedOf(stays, effects)]);
  }
});
