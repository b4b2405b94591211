import { SystemClock } from '../../src/core/clock.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { LedgerPoster } from '../../src/ledger/ledger-poster.js';
import { type RunResultView } from '../../src/reconciliation/reconciliation.view.js';
import { postAll } from '../support/ledger.js';
import { refunded, refundOf } from '../support/refunds.js';
import {
  type ApiClient,
  atRest,
  authorizes,
  openWithService,
  orderOf,
  paymentOf,
  type PspName,
  type TestEnvironment,
} from '../support/test-environment.js';

/** PSPs whose books are lists of their API: what they did is reported as it was, and exactly what was planted is found. */
const listing = ['mollie', 'square', 'gocardless', 'paypal'] as const satisfies readonly PspName[];
type Listing = (typeof listing)[number];
const HOUR_MS = 3_600_000;

let environment: TestEnvironment;
let client: ApiClient;
let database: Database;

beforeAll(async () => {
  ({ environment, client } = await openWithService());
  database = await openDatabase({
    url: environment.database.url,
    entities,
    migrations: [],
    poolSize: 2,
    applicationName: 'listed-spec',
  });
});
afterAll(async () => {
  await database.close();
  await environment.close();
});

async function pay(psp: Listing, reference: string, capture: 'automatic' | 'manual' = 'automatic') {
  const order = orderOf({ first: psp, reference, capture });
  const paid = await client.until(() => client.post('/v1/payments', order, `${psp}-${reference}`), atRest);
  return paymentOf(paid);
}

async function reconciled(psp: Listing): Promise<RunResultView> {
  const from = new Date(Date.now() - HOUR_MS).toISOString();
  await postAll(database.pool, new LedgerPoster(database.pool, new SystemClock()));
  const command = ['reconcile', 'run', '--psp', psp, '--from', from];
  const [run] = (await environment.command(...command)) as RunResultView[];
  return run!;
}

it.each(listing)('finds nothing where %s lists what it did', async (psp) => {
  const { id } = await pay(psp, 'plain');
  refundOf(await refunded(client, id, { amount: 500 }, `${psp}-back`));
  if ((authorizes as readonly PspName[]).includes(psp)) {
    const authorized = await pay(psp, 'held', 'manual');
    const path = `/v1/payments/${authorized.id}/capture`;
    await client.until(() => client.post(path, {}, `${psp}-capture`), atRest);
  }
  const moved = environment.simulator
    .ledger(psp)
    .effects.filter(({ operation }) => ['charge', 'capture', 'refund'].includes(operation));
  expect(moved.length).toBeGreaterThan(1);
  environment.simulator.publish(psp);

  const { breaks, matched, unmatched } = await reconciled(psp);
  expect({ breaks, unmatched }).toEqual({ breaks: [], unmatched: 0 });
  expect(matched).toBeGreaterThanOrEqual(moved.length);
  // A line of its own shows what each has kept, or its fee is part of the payment's line.
  const fees = "SELECT FROM ledger_transactions WHERE psp = $1 AND kind = 'fee'";
  expect(await environment.sql(fees, [psp])).not.toEqual([]);
});

it.each(listing)('finds exactly what is planted in the lists of %s', async (psp) => {
  for (const reference of ['missing', 'amount', 'duplicated', 'made_up']) await pay(psp, reference);
  const last = environment.simulator.ledger(psp).effects.slice(-4);
  const differences = ['missing', 'amount', 'duplicated', 'made_up'] as const;
  const planted = last.map(({ seq }, index) => ({ seq, difference: differences[index]! }));
  environment.simulator.publish(psp, { planted });
  const { breaks } = await reconciled(psp);
  expect(breaks.map(({ category }) => category)).toEqual([
    'amount_mismatch',
    'duplicate_effect',
    'missing_here',
    'timing',
  ]);
  // What was late comes with the next report, and closes its break.
  environment.simulator.publish(psp, {
    planted: planted.filter(({ difference }) => difference !== 'missing'),
  });
  await reconciled(psp);
  const open = await environment.sql<{ category: string }>(
    'SELECT category FROM reconciliation_breaks WHERE psp = $1 AND closed_at IS NULL ORDER BY 1',
    [psp],
  );
  expect(open.map(({ category }) => category)).toEqual([
    'amount_mismatch',
    'duplicate_effect',
    'missing_here',
  ]);
});

it("settles an order in doubt by PayPal's transactions, which name it", async () => {
  environment.simulator.faults('paypal', { fault: 'close_after', on: 'execute', rate: 1, seed: 1 });
  const order = orderOf({ first: 'paypal', reference: 'doubt' });
  const { status, text } = await client.post('/v1/payments', order, 'paypal-doubt');
  expect(status).toBe(202);
  const { id } = JSON.parse(text) as { id: string };
  const { seq } = environment.simulator.ledger('paypal').effects.at(-1)!;
  environment.simulator.publish('paypal', { only: [seq] });
  await reconciled('paypal');
  const paid = await client.until(async () => {
    await environment.command('tasks', 'run', 'reconciliation');
    return client.get(`/v1/payments/${id}`);
  }, atRest);
  expect(JSON.parse(paid.text)).toMatchObject({ status: 'captured', psp: 'paypal' });
  await environment.simulator.clearFaults();
  // It is known by its order, so that it can be given back.
  refundOf(await refunded(client, id, { amount: 500 }, 'paypal-doubt-back'));
});
