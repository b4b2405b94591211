import {
  eventually,
  orderOf,
  paymentOf,
  type Service,
  type ApiClient,
  openWithService,
  type TestEnvironment,
  tokens,
} from '../support/test-environment.js';

/** What an operator finds in the log by payment. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService());
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

type Line = Readonly<Record<string, unknown>>;
const lines = (): Line[] =>
  service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
const linesOf = (message: string, id: string) =>
  eventually(() => {
    const found = lines().filter((line) => line['msg'] === message && line['payment_id'] === id);
    return found.length > 0 ? found : null;
  }, `a line "${message}" of the payment`);

it('has one line for each call to a PSP, and no token in it', async () => {
  environment.simulator.faults('adyen', { fault: 'decline', code: '9', next: 1 });
  const { id, psp } = paymentOf(await client.post('/v1/payments', orderOf({ first: 'adyen' }), 'two-calls'));
  expect(psp).toBe('stripe');
  await eventually(async () => (await linesOf('psp call', id)).length === 2, 'both calls are logged');
  const found = await linesOf('psp call', id);
  const request = await eventually(
    () => lines().find((line) => line['msg'] === 'request' && line['route'] === '/v1/payments'),
    'the line of the request',
  );
  expect(found).toEqual([
    expect.objectContaining({
      level: 'info',
      request_id: request['request_id'],
      merchant_id: request['merchant_id'],
      entity_key: `payment-${id}-charge`,
      route: 1,
      attempt: 1,
      kind: 'execute',
      psp: 'adyen',
      outcome: 'declined',
      code: '9',
      ms: expect.any(Number) as unknown,
    }),
    expect.objectContaining({ route: 2, psp: 'stripe', outcome: 'succeeded' }),
  ]);
  for (const token of Object.values(tokens)) expect(JSON.stringify(found)).not.toContain(token);
});

it('tells of probes and scrapes at debug', async () => {
  for (const path of ['/health/live', '/health/ready', '/metrics']) {
    await fetch(`${service.url}${path}`);
    const line = await eventually(
      () => lines().find((one) => one['msg'] === 'request' && one['route'] === path),
      `a line of ${path}`,
    );
    expect(line).toMatchObject({ level: 'debug', status: 200 });
  }
});
