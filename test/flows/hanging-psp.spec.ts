import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  orderOf,
  paymentOf,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** One PSP hangs. Doubt at another PSP is resolved as fast as if the first one answered. */
const HANGING = 96;
/** Alone it takes less than 3 s. */
const BOUND_MS = 6_000;

let environment: TestEnvironment;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, client } = await openWithService());
});
afterAll(() => environment.close());

it('doubt at Adyen is resolved while 96 routes hang at Stripe', async () => {
  environment.simulator.faults('stripe', { fault: 'hang_before', on: 'any', rate: 1 });
  const asked = Array.from({ length: HANGING }, (_, n) =>
    client.post('/v1/payments', orderOf({ reference: `hangs-${n}` }), `hangs-${n}`, { deadlineMs: 100 }),
  );
  await Promise.all(asked);
  // The resolver has taken up what hangs, eight at once.
  await eventually(
    async () =>
      (await environment.sql(`SELECT 1 FROM psp_attempts WHERE trace_id LIKE 'resolver-%' LIMIT 1`))
        .length === 1,
    'the resolver is at the routes that hang',
  );

  environment.simulator.faults('adyen', { fault: 'hang_after', next: 1 });
  const order = orderOf({ first: 'adyen', reference: 'doubt' });
  const startedMs = performance.now();
  const { id } = paymentOf(await client.post('/v1/payments', order, 'doubt', { deadlineMs: 100 }));
  await eventually(async () => {
    const { status } = await client.payment(id);
    if (status !== 'captured') await sleep(100);
    return status === 'captured';
  }, 'the doubt at Adyen is resolved');
  expect(performance.now() - startedMs).toBeLessThan(BOUND_MS);
  expect(environment.effects(id).map(({ psp }) => psp)).toEqual(['adyen']);
}, 120_000);
