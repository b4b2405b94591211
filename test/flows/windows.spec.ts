import {
  atRest,
  eventually,
  orderOf,
  paymentOf,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** Stripe forgets a key after 24 h: what was safe to send again until then would charge once more. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open({
    timeoutMs: 700,
    lockTtlMs: 1_800,
    env: { PAYONCE_DEADLINE_MS: '2000' },
  });
  client = new ApiClient(() => service.url, await environment.merchant());
});
afterAll(() => environment.close());

/** By then the schedule of a route is over as well, however long its pauses were drawn. */
const LATER_MS = 47 * 3_600_000;

interface RouteRow {
  readonly route: number;
  readonly verdict: string;
  readonly stuck: boolean;
  readonly looks: number;
}

/** The one route there is. */
async function routeOf(paymentId: string): Promise<RouteRow> {
  const routes = await environment.sql<RouteRow>(
    `SELECT r.route, r.verdict, r.stuck_at IS NOT NULL AS stuck,
            (SELECT count(*)::int FROM psp_attempts a WHERE a.merchant_id = r.merchant_id
                AND a.entity_key = r.entity_key AND a.kind = 'lookup' AND a.outcome IS NOT NULL) AS looks
       FROM psp_requests r WHERE r.payment_id = $1`,
    [paymentId],
  );
  expect(routes).toHaveLength(1);
  return routes[0]!;
}

it('is only asked about, never sent again, once the PSP may have forgotten its key', async () => {
  service = await environment.start();
  environment.simulator.faults('stripe', { fault: 'hang_after', next: 1 });
  environment.simulator.faults('stripe', { fault: 'reset_before', rate: 1 });
  environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });
  const ask = () => client.post('/v1/payments', orderOf(), 'window');
  const unsettled = await client.until(ask, ({ status }) => status === 202);
  const { id } = paymentOf(unsettled);
  expect(environment.effects(id)).toHaveLength(1);
  // Inside the window it is sent again, under the same key: by a worker, where the client's deadline was too near.
  await eventually(() => environment.orders('stripe').length >= 2, 'the same to be sent again');
  const sent = environment.orders('stripe');
  expect(new Set(sent.map((call) => call.idempotency_key)).size).toBe(1);

  // From now on whatever is sent would be executed; only lookups go on failing.
  await service.stop();
  const posts = environment.orders('stripe').length;
  await environment.simulator.clearFaults('stripe');
  environment.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });

  const { looks } = await routeOf(id);
  environment.simulator.advance(LATER_MS);
  await environment.travel(LATER_MS);
  service = await environment.start();
  // The worker, of its own accord, asks the PSP and sends nothing.
  await eventually(async () => (await routeOf(id)).looks > looks, 'a look at the route');
  expect(environment.orders('stripe')).toHaveLength(posts);

  // A client that asks for it does not make it be sent either, however often.
  await eventually(
    async () => {
      const reply = await ask();
      expect([202, 409]).toContain(reply.status);
      if (reply.status === 202) {
        expect(paymentOf(reply)).toMatchObject({ id, status: 'processing', failure: null });
      }
      expect(environment.orders('stripe')).toHaveLength(posts);
      return (await routeOf(id)).stuck;
    },
    'a person to be called',
    60_000,
  );

  expect(await routeOf(id)).toMatchObject({ route: 1, verdict: 'open', stuck: true });
  const payment = await client.payment(id);
  expect(payment).toMatchObject({ status: 'processing', failure: null });
  expect(payment.routes).toMatchObject([{ route: 1, psp: 'stripe', verdict: 'open' }]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^payonce_routes_stuck 1$/m);
  expect(environment.simulator.calls('adyen')).toEqual([]);
  expect(environment.simulator.calls('keyless')).toEqual([]);
  expect(environment.effects(id)).toHaveLength(1);

  // A person sees to it that lookups work again; the client's next try settles it, by asking.
  await environment.simulator.clearFaults('stripe');
  const settled = paymentOf(await client.until(ask, atRest));
  expect(settled).toMatchObject({ id, status: 'captured', psp: 'stripe' });
  expect(environment.orders('stripe')).toHaveLength(posts);
  expect(environment.effects(id)).toMatchObject([{ psp: 'stripe', operation: 'charge', amount: 1_999 }]);
}, 150_000);
