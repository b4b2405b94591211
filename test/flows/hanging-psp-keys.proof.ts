import { eventually, orderOf, paymentOf, ApiClient, TestEnvironment } from '../support/test-environment.js';

/** One PSP hangs. Keys that a dead process left at another PSP are completed as fast as if the first one answered. */
const HANGING = 50;
/** How many keys a completer takes up at once. */
const SIDE_BY_SIDE = 8;

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await TestEnvironment.open({ timeoutMs: 4_000, lockTtlMs: 6_000 });
});
afterAll(() => environment.close());

it('a key at Adyen is completed while 50 keys that a dead process left hang at Stripe', async () => {
  environment.simulator.faults('stripe', { fault: 'hang_before', on: 'any', rate: 1 });
  environment.simulator.faults('adyen', { fault: 'hang_after', next: 1 });
  const victim = await environment.startProcess({ env: { PAYONCE_ROLE: 'api' } });
  const apiKey = await environment.merchant();
  const other = orderOf({ first: 'adyen', reference: 'other' });
  const orders = Array.from({ length: HANGING }, (_, n) => orderOf({ reference: `hangs-${n}` }));
  for (const order of [...orders, other]) {
    new ApiClient(() => victim.url, apiKey).post('/v1/payments', order, order.reference).catch(() => null);
  }
  const called = () => environment.sql('SELECT DISTINCT entity_key FROM psp_attempts');
  await eventually(async () => (await called()).length > HANGING, 'every call is under way');
  // Else the fault waits for the next call, which then hangs as well.
  await eventually(() => environment.effects().length === 1, 'the call to Adyen has arrived');
  victim.kill();
  await victim.exit;
  // The keys at Stripe come first.
  await environment.sql(
    "UPDATE idempotency_keys SET resumable_at = resumable_at - interval '1 minute' WHERE key LIKE 'hangs-%'",
  );

  const service = await environment.startProcess();
  // How many of the others a completer has taken up, in the very statement that sees the end of this one.
  const [atItsEnd] = await eventually(
    async () => {
      const seen = await environment.sql<{ begun: number }>(
        `SELECT (SELECT count(DISTINCT entity_key)::int FROM psp_attempts a JOIN psp_requests r USING (merchant_id, entity_key, route)
                WHERE a.trace_id LIKE 'completer-%' AND r.psp = 'stripe') AS begun
         FROM idempotency_keys WHERE key = 'other' AND recovery_point = 'finished'`,
      );
      return seen.length === 1 && seen;
    },
    'the key at Adyen',
    90_000,
  );
  // Behind the others in one line it has its turn after three rounds of those that hang.
  expect(atItsEnd!.begun).toBeLessThanOrEqual(2 * SIDE_BY_SIDE);
  const answer = await new ApiClient(() => service.url, apiKey).post('/v1/payments', other, 'other');
  const { id, status } = paymentOf(answer);
  expect(status).toBe('captured');
  expect(environment.effects(id)).toHaveLength(1);
}, 180_000);
