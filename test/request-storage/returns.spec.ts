import { type Service } from '../support/service.js';
import {
  type ApiClient,
  eventually,
  openWithService,
  orderOf,
  paymentOf,
  type TestEnvironment,
} from '../support/test-environment.js';

/** A PSP that is back is asked, though the schedules of its routes grew while it was away. */
let environment: TestEnvironment;
let client: ApiClient;
let worker: Service | undefined;
let orders = 0;

beforeAll(async () => {
  ({ environment, client } = await openWithService(
    { env: { PAYONCE_DEADLINE_MS: '1000' } },
    { role: 'api' },
  ));
});
afterEach(() => worker?.stop());
afterAll(() => environment.close());

/** The process that asks saw none of the failures: one that ran then would settle some between them. */
async function startWorker(): Promise<void> {
  worker = await environment.start({ role: 'worker' });
}

/** Charges in doubt since twenty minutes, whose next round is in five. */
async function inDoubt(psp: 'stripe' | 'adyen', count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  const pay = () => {
    const reference = `${psp}-${(orders += 1)}`;
    return client.post('/v1/payments', orderOf({ first: psp, reference }), reference);
  };
  for (let n = 0; n < count; n++) {
    // A success between the failures keeps the breaker of the PSP closed.
    await environment.simulator.clearFaults(psp);
    expect((await pay()).status).toBe(201);
    environment.simulator.faults(psp, { fault: 'reset_after', next: 1 });
    environment.simulator.faults(psp, { fault: 'reset_before', on: 'any', rate: 1 });
    const reply = await pay();
    expect(reply.status).toBe(202);
    ids.push(paymentOf(reply).id);
  }
  await environment.rewrite(
    `UPDATE psp_attempts SET started_at = started_at - interval '20 minutes', ended_at = ended_at - interval '20 minutes'
      WHERE entity_key LIKE ANY ($1)`,
    [ids.map((id) => `payment-${id}-%`)],
  );
  // The successes between were returns too, and they were as long ago.
  await environment.sql("UPDATE psp_returns SET back_at = back_at - interval '20 minutes'");
  await environment.sql(
    `UPDATE psp_requests SET next_step_at = now() + interval '5 minutes', opened_at = opened_at - interval '20 minutes',
            leased_by = NULL, leased_until = NULL
      WHERE payment_id::text = ANY ($1)`,
    [ids],
  );
  return ids;
}

const isCaptured = async (id: string) => (await client.payment(id)).status === 'captured';

it.each(['stripe', 'adyen'] as const)(
  'finds out by one probe that %s is back, and makes its other routes due within a minute',
  async (psp) => {
    const ids = await inDoubt(psp, 3);
    await environment.simulator.clearFaults(psp);
    await startWorker();
    const before = Date.now();
    const captured = async () => (await Promise.all(ids.map(isCaptured))).filter(Boolean).length;
    await eventually(async () => (await captured()) >= 1, 'the probe settles its own payment');
    expect(Date.now() - before).toBeLessThan(30_000);
    // The return is noted after the probe's answer, in a commit of its own; without it they were due in five.
    const late = `SELECT FROM psp_requests WHERE psp = $1 AND verdict = 'open' AND next_step_at > now() + interval '1 minute'`;
    await eventually(
      async () => (await environment.sql(late, [psp])).length === 0,
      'the others are due soon',
    );
    const [back] = await environment.sql(
      'SELECT back_at FROM psp_returns WHERE psp = $1 AND back_at IS NOT NULL',
      [psp],
    );
    expect(back).toBeDefined();
    for (const id of ids) expect(environment.effects(id)).toHaveLength(1);
  },
);

it('asks about one route of an account that is still away, and about no other', async () => {
  const ids = await inDoubt('stripe', 3);
  await environment.sql("UPDATE psp_returns SET probed_at = now() - interval '1 hour'");
  await startWorker();
  const calls = () =>
    environment.sql<{ entity_key: string }>(
      `SELECT DISTINCT entity_key FROM psp_attempts WHERE started_at > now() - interval '10 minutes' AND entity_key LIKE ANY ($1)`,
      [ids.map((id) => `payment-${id}-%`)],
    );
  await eventually(async () => (await calls()).length > 0, 'one of them is asked about');
  expect(await calls()).toHaveLength(1);
  await environment.simulator.clearFaults('stripe');
});
