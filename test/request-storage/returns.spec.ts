import {
  type ApiClient,
  openWithService,
  orderOf,
  paymentOf,
  type TestEnvironment,
} from '../support/test-environment.js';

/** A PSP that is back is asked, though the schedules of its routes grew while it was away. */
let environment: TestEnvironment;
let client: ApiClient;
let orders = 0;

beforeAll(async () => {
  ({ environment, client } = await openWithService(
    { env: { PAYONCE_DEADLINE_MS: '1000' } },
    { role: 'api' },
  ));
});
afterAll(() => environment.close());

/** One pass of the task, by a process that saw none of the failures. */
const probe = () => environment.command('tasks', 'run', 'psp-probes');

/** The probes that asked about these payments. */
const probed = (ids: readonly string[]) =>
  environment.sql(
    "SELECT DISTINCT trace_id, entity_key FROM psp_attempts WHERE trace_id LIKE 'probe-%' AND entity_key LIKE ANY ($1)",
    [ids.map((id) => `payment-${id}-%`)],
  );

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
            leased_by = NULL, leased_until = NULL, fence = fence + 1
      WHERE payment_id::text = ANY ($1)`,
    [ids],
  );
  return ids;
}

it.each(['stripe', 'adyen'] as const)(
  'finds out by one probe that %s is back, and makes its other routes due within a minute',
  async (psp) => {
    const ids = await inDoubt(psp, 3);
    await environment.simulator.clearFaults(psp);
    await probe();
    expect(await probed(ids)).toHaveLength(1);
    const routes = await environment.sql(
      `SELECT verdict, next_step_at < now() + interval '1 minute' AS "isSoon" FROM psp_requests
        WHERE payment_id::text = ANY ($1) ORDER BY verdict`,
      [ids],
    );
    const soon = { verdict: 'open', isSoon: true };
    expect(routes).toEqual([{ verdict: 'effective', isSoon: null }, soon, soon]);
    const returned = `SELECT FROM psp_returns WHERE psp = $1 AND back_at > now() - interval '10 minutes'`;
    expect(await environment.sql(returned, [psp])).toHaveLength(1);
    for (const id of ids) expect(environment.effects(id)).toHaveLength(1);
  },
);

it('asks about one route of an account that is still away, and about no other', async () => {
  const ids = await inDoubt('stripe', 3);
  await environment.sql("UPDATE psp_returns SET probed_at = now() - interval '1 hour'");
  await probe();
  await probe();
  expect(await probed(ids)).toHaveLength(1);
  await environment.simulator.clearFaults('stripe');
});
