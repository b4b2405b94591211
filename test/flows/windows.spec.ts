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
let stage: TestEnvironment;
let service: Service;
let shop: ApiClient;

beforeAll(async () => {
  stage = await TestEnvironment.open({
    timeoutMs: 700,
    lockTtlMs: 1_800,
    env: { PAYONCE_DEADLINE_MS: '2000' },
  });
  shop = new ApiClient(() => service.url, await stage.merchant());
});
afterAll(() => stage.close());

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
  const routes = await stage.sql<RouteRow>(
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
  service = await stage.start();
  stage.simulator.faults('stripe', { fault: 'hang_after', next: 1 });
  stage.simulator.faults('stripe', { fault: 'reset_before', rate: 1 });
  stage.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });
  const ask = () => shop.post('/v1/payments', orderOf(), 'window');
  const unsettled = await shop.until(ask, ({ status }) => status === 202);
  const { id } = paymentOf(unsettled);
  expect(stage.effects(id)).toHaveLength(1);
  // Inside the window it is sent again, under the same key: by a worker, where the client's deadline was too near.
  await eventually(() => stage.orders('stripe').length >= 2, 'the same to be sent again');
  const sent = stage.orders('stripe');
  expect(new Set(sent.map((call) => call.idempotency_key)).size).toBe(1);

  // From now on whatever is sent would be executed; only lookups go on failing.
  service.kill();
  await service.exit;
  const posts = stage.orders('stripe').length;
  await stage.simulator.clearFaults('stripe');
  stage.simulator.faults('stripe', { fault: 'error_500_before', on: 'lookup', rate: 1 });

  const { looks } = await routeOf(id);
  stage.simulator.advance(LATER_MS);
  await stage.travel(LATER_MS);
  service = await stage.start();
  // The worker, of its own accord, asks the PSP and sends nothing.
  await eventually(async () => (await routeOf(id)).looks > looks, 'a look at the route');
  expect(stage.orders('stripe')).toHaveLength(posts);

  // A client that asks for it does not make it be sent either, however often.
  await eventually(
    async () => {
      const reply = await ask();
      expect([202, 409]).toContain(reply.status);
      if (reply.status === 202) {
        expect(paymentOf(reply)).toMatchObject({ id, status: 'processing', failure: null });
      }
      expect(stage.orders('stripe')).toHaveLength(posts);
      return (await routeOf(id)).stuck;
    },
    'a person to be called',
    60_000,
  );

  expect(await routeOf(id)).toMatchObject({ route: 1, verdict: 'open', stuck: true });
  const payment = await shop.payment(id);
  expect(payment).toMatchObject({ status: 'processing', failure: null });
  expect(payment.routes).toMatchObject([{ route: 1, psp: 'stripe', verdict: 'open' }]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  expect(metrics).toMatch(/^payonce_routes_stuck 1$/m);
  expect(stage.simulator.calls('adyen')).toEqual([]);
  expect(stage.simulator.calls('keyless')).toEqual([]);
  expect(stage.effects(id)).toHaveLength(1);

  // A person sees to it that lookups work again; the client's next try settles it, by asking.
  await stage.simulator.clearFaults('stripe');
  const settled = paymentOf(await shop.until(ask, atRest));
  expect(settled).toMatchObject({ id, status: 'captured', psp: 'stripe' });
  expect(stage.orders('stripe')).toHaveLength(posts);
  expect(stage.effects(id)).toMatchObject([{ psp: 'stripe', operation: 'charge', amount: 1_999 }]);
}, 150_000);
