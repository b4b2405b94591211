import {
  eventually,
  orderOf,
  paymentOf,
  type Service,
  ApiClient,
  TestEnvironment,
} from '../support/test-environment.js';

/** A PSP account is taken out of the configuration while a charge there is in doubt. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  environment = await TestEnvironment.open();
  service = await environment.start({ env: { PAYONCE_ROLE: 'api' } });
  client = new ApiClient(() => service.url, await environment.merchant());
});
afterAll(() => environment.close());

it('doubt at an account that is no longer configured becomes stuck, and is listed', async () => {
  environment.simulator.faults('adyen', { fault: 'hang_after', next: 1 });
  const order = orderOf({ first: 'adyen' });
  const { id, status } = paymentOf(await client.post('/v1/payments', order, 'doubt', { deadlineMs: 100 }));
  expect(status).toBe('processing');
  await service.stop();
  service = await environment.start({ without: 'adyen' });
  const listed = () => environment.command('stuck', 'list') as Promise<{ entity_key: string; psp: string }[]>;
  await eventually(async () => (await listed()).length > 0, 'the route is stuck');
  expect(await listed()).toMatchObject([{ entity_key: `payment-${id}-charge`, psp: 'adyen' }]);
  expect(environment.effects(id).map(({ psp }) => psp)).toEqual(['adyen']);
}, 60_000);
