import { builtService } from '../support/built-service.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type RunResultView } from '../../src/reconciliation/reconciliation.view.js';
import { reconcileDue } from '../support/reconcile.js';
import {
  type ApiClient,
  atRest,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type Service,
  type TestEnvironment,
} from '../support/test-environment.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** What a report proves is told to the operation that it names; reconciliation itself sends nothing to a PSP. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;
const folder = temporaryFolder();

beforeAll(async () => {
  ({ environment, service, client } = await openWithService({}, { role: 'all' }));
});
afterAll(() => environment.close());

let number = 0;

function reconcile(psp: 'stripe' | 'adyen', csv: string, ...more: readonly string[]): Promise<RunResultView> {
  const file = join(folder, `report-${(number += 1)}.csv`);
  writeFileSync(file, csv);
  return environment.command('reconcile', '--psp', psp, '--file', file, ...more) as Promise<RunResultView>;
}

const openBreaks = async () =>
  (
    await environment.sql<{ category: string }>(
      'SELECT category FROM reconciliation_breaks WHERE closed_at IS NULL ORDER BY category',
    )
  ).map(({ category }) => category);

it('settles a charge in doubt whose PSP reports it, and sends nothing for it', async () => {
  environment.simulator.faults('adyen', { fault: 'reset_after', next: 1 });
  environment.simulator.faults('adyen', { fault: 'reset_before', on: 'any', rate: 1, seed: 1 });
  const asked = await client.post('/v1/payments', orderOf({ first: 'adyen', reference: 'doubt' }), 'doubt');
  expect(asked.status).toBe(202);
  const { id } = paymentOf(asked);
  const before = environment.orders('adyen').length;
  const result = await reconcile('adyen', environment.simulator.report('adyen'));
  expect([result.breaks, result.unmatched]).toEqual([[], 1]);
  await reconcileDue(environment);
  const settled = await eventually(async () => {
    const payment = await client.payment(id);
    return payment.status === 'captured' ? payment : null;
  }, 'it is captured');
  expect(settled.routes).toMatchObject([{ psp: 'adyen', verdict: 'effective' }]);
  expect(environment.effects(id)).toHaveLength(1);
  const [notice] = await environment.sql<{ trace_id: string }>(
    "SELECT trace_id FROM psp_attempts WHERE kind = 'notice' AND entity_key = $1",
    [settled.entity_key],
  );
  expect(notice!.trace_id).toBe(`report-${result.run.id}-2`);
  // What the resolver asked meanwhile was refused; the report sent nothing.
  expect(environment.orders('adyen').length).toBeGreaterThanOrEqual(before);
  // The merchant is told as of any other payment.
  const told = await environment.told(`payment:${id}`);
  expect(told.filter((type) => type === 'payment.captured')).toHaveLength(1);
  await environment.simulator.clearFaults();
  // Once the ledger has it, the line is matched.
  await eventually(async () => {
    await reconcileDue(environment);
    return (await environment.sql('SELECT FROM report_lines WHERE NOT is_matched')).length === 0;
  }, 'the line is matched');
  expect(await openBreaks()).toEqual([]);
});

it('waits for what is effective and not posted yet, and judges it then', async () => {
  const slow = new Client({ connectionString: environment.database.url });
  await slow.connect();
  try {
    // The ledger waits for a transaction that may still write something older.
    await slow.query('BEGIN; SELECT pg_current_xact_id()');
    const paid = paymentOf(await client.post('/v1/payments', orderOf({ reference: 'unposted' }), 'unposted'));
    const csv = environment.simulator.report('stripe');
    const taken = await reconcile('stripe', csv);
    expect([taken.breaks, taken.unmatched]).toEqual([[], 1]);
    await slow.query('COMMIT');
    await eventually(async () => {
      await reconcileDue(environment);
      return (await environment.sql('SELECT FROM report_lines WHERE NOT is_matched')).length === 0;
    }, 'the line is matched');
    expect([paid.status, await openBreaks()]).toEqual(['captured', []]);
  } finally {
    await slow.end();
  }
});

it('raises the alarm where two PSPs report one operation, or one that was never asked', async () => {
  const paid = paymentOf(await client.post('/v1/payments', orderOf({ reference: 'twice' }), 'twice'));
  const declined = paymentOf(
    await client.post(
      '/v1/payments',
      orderOf({ reference: 'declined', tokens: { stripe: 'pm_card_visa_chargeDeclinedStolenCard' } }),
      'declined',
    ),
  );
  expect([paid.status, declined.status]).toEqual(['captured', 'failed']);
  const own = paymentOf(
    await client.post('/v1/payments', orderOf({ first: 'adyen', reference: 'own' }), 'own'),
  );
  const [head, ...lines] = environment.simulator.report('adyen').split('\r\n');
  const line = lines.find((each) => each.includes(own.entity_key))!;
  const about = (entityKey: string, reference: string) =>
    line.replace(own.entity_key, entityKey).replace(own.psp_reference!, reference);
  const foreign = [
    about(paid.entity_key, 'ZZZ1'),
    about(declined.entity_key, 'ZZZ2'),
    about('order-1', 'ZZZ3'),
  ];
  const result = await reconcile('adyen', [head, line, ...foreign, ''].join('\r\n'));
  expect(result.breaks.map(({ category, open }) => [category, open])).toEqual([
    ['duplicate_effect', 1],
    ['missing_here', 1],
    ['wrong_psp', 1],
  ]);
  const listed = (await environment.command('breaks', 'list')) as {
    category?: string;
    entity_key?: string;
  }[];
  expect(listed).toContainEqual(
    expect.objectContaining({ category: 'duplicate_effect', entity_key: paid.entity_key }),
  );
});

it('imports nothing of a report with a fault, and says where it is', async () => {
  const report = environment.simulator.report('adyen');
  const count = async () =>
    (await environment.sql<{ count: number }>('SELECT count(*)::int AS count FROM report_lines'))[0]!.count;
  const before = await count();
  const refused = (await reconcile('adyen', report.replace('Settled', 'Gifted'))) as unknown as {
    error: { code: string; message: string };
  };
  expect(refused.error.code).toBe('validation_failed');
  expect(refused.error.message).toContain('line 2: the Type "Gifted" is not known');
  expect(await count()).toBe(before);
});

it('imports nothing where its session dies before the end, and all of it afterwards, once', async () => {
  const symbol = Symbol.for('payonce.checkpoint');
  const places = builtService().outerGlobals as {
    [name: symbol]: ((place: string) => Promise<void>) | undefined;
  };
  const report = environment.simulator.report('stripe');
  const before = await environment.sql('SELECT FROM reconciliation_runs');
  places[symbol] = async (place) => {
    if (place !== 'reconciliation:before:commit') return;
    await environment.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'payonce-cli' AND datname = current_database()",
    );
  };
  try {
    expect(await reconcile('stripe', report)).toHaveProperty('error');
  } finally {
    places[symbol] = undefined;
  }
  expect(await environment.sql('SELECT FROM reconciliation_runs')).toHaveLength(before.length);
  const [first, again] = [await reconcile('stripe', report), await reconcile('stripe', report)];
  expect(again.run.id).toBe(first.run.id);
  expect(await environment.sql('SELECT FROM report_lines WHERE run_id = $1', [first.run.id])).toHaveLength(
    first.run.new_lines,
  );
  const { totals } = first;
  for (const { opening, in: money, out, fees, settled, closing } of totals) {
    expect(opening + money - out - fees - settled).toBe(closing);
  }
});

it.each(['staged', 'commit'])(
  'imports nothing where its process is killed before it is %s',
  async (place) => {
    paymentOf(
      await client.post('/v1/payments', orderOf({ reference: `killed-${place}` }), `killed-${place}`),
    );
    const file = join(folder, `killed-${place}.csv`);
    writeFileSync(file, environment.simulator.report('stripe'));
    const counts = () =>
      environment.sql(`
      SELECT (SELECT count(*)::int FROM reconciliation_runs) AS runs, (SELECT count(*)::int FROM report_lines) AS lines,
             (SELECT count(*)::int FROM ledger_transactions WHERE kind IN ('fee', 'settlement')) AS costs`);
    const before = await counts();
    const at = { place: `reconciliation:before:${place}` };
    expect(await environment.killedCommand(at, 'reconcile', '--psp', 'stripe', '--file', file)).toBe(
      'SIGKILL',
    );
    expect(await counts()).toEqual(before);
    const again = () =>
      environment.command('reconcile', '--psp', 'stripe', '--file', file) as Promise<RunResultView>;
    const [first, second] = [await again(), await again()];
    expect([first.run.new_lines > 0, second.run.id]).toEqual([true, first.run.id]);
    const twice = await environment.sql(
      'SELECT FROM report_lines WHERE psp = $1 GROUP BY type, psp_reference, gross, occurred_at, key HAVING count(*) > 1',
      ['stripe'],
    );
    expect(twice).toEqual([]);
  },
);

it('closes the break of a notification once a later report agrees with the ledger', async () => {
  environment.notify(service.url, {}, ['adyen']);
  const order = orderOf({ first: 'adyen', capture: 'manual', reference: 'taken-back' });
  const { id } = paymentOf(await client.post('/v1/payments', order, 'taken-back'));
  await client.until(() => client.post(`/v1/payments/${id}/capture`, {}, 'capture'), atRest);
  // A refund was made of the money since, so that the capture cannot be taken back here.
  await client.until(() => client.post(`/v1/payments/${id}/refunds`, { amount: 500 }, 'refund'), atRest);
  const capture = environment.effects(id).find(({ operation }) => operation === 'capture')!;
  expect(environment.simulator.fail('adyen', capture.psp_reference)).toBe(true);
  const open = async () => (await openBreaks()).includes('contradiction');
  await eventually(open, 'the notification is a break');
  const report = environment.simulator.report('adyen');
  await eventually(
    async () =>
      (
        await environment.sql('SELECT FROM ledger_transactions WHERE psp_reference = $1', [
          capture.psp_reference,
        ])
      ).length === 1,
    'the ledger has the capture',
  );
  // A report of the time before says nothing of it.
  await reconcile('adyen', report);
  expect(await open()).toBe(true);
  await reconcile('adyen', report.replace('visa', 'mc'), '--to', new Date(Date.now() + 1_000).toISOString());
  await eventually(async () => {
    await reconcileDue(environment);
    return !(await open());
  }, 'the break is closed');
  const [closed] = await environment.sql(
    "SELECT closed_by, resolution FROM reconciliation_breaks WHERE category = 'contradiction'",
  );
  expect(closed).toMatchObject({ resolution: 'a later report agrees with the ledger' });
});
