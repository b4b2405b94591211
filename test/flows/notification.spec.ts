import {
  eventually,
  orderOf,
  paymentOf,
  type Service,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** What PSPs tell of their own accord, over the real service, queue and wire formats. */
let environment: TestEnvironment;
let service: Service;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, service, client } = await openWithService());
});
afterAll(() => environment.close());
afterEach(() => environment.simulator.reset());

const quiet = () => eventually(() => environment.notifications().waiting === 0, 'everything is told');
const noticesOf = async (id: string) => (await client.attempts(id)).filter(({ kind }) => kind === 'notice');
const inbox = (state: string) =>
  eventually(
    async () =>
      (await environment.sql('SELECT 1 FROM webhook_inbox WHERE state <> $1', [state])).length === 0,
    `all that was told is ${state}`,
  );

it('settles a payment whose answer was lost at a PSP that cannot be asked', async () => {
  environment.notify(service.url);
  // Charged, and not a word of it; from then on Adyen answers nothing, but its notifications go out.
  environment.simulator.faults('adyen', { fault: 'close_after', next: 1 });
  environment.simulator.faults('adyen', { fault: 'hang_before', rate: 1 });
  const reply = await client.post('/v1/payments', orderOf({ first: 'adyen' }), 'lost');
  const { id } = paymentOf(reply);
  await eventually(
    async () => (await client.payment(id)).status === 'captured',
    'the notification is believed',
  );
  expect(await noticesOf(id)).toMatchObject([{ psp: 'adyen', outcome: 'succeeded' }]);
  expect(environment.effects(id)).toMatchObject([{ psp: 'adyen', operation: 'charge' }]);
});

it('comes before the answer of the call that it is about, and is decided with once', async () => {
  environment.notify(service.url, { mode: 'early' });
  environment.simulator.faults('stripe', { fault: 'delay_after', delay_ms: 400, next: 1 });
  const reply = await client.post('/v1/payments', orderOf({ first: 'stripe' }), 'early');
  const payment = paymentOf(reply);
  expect([reply.status, payment.status]).toEqual([201, 'captured']);
  await quiet();
  await inbox('applied');
  const history = await environment.sql<{ event: string }>(
    'SELECT event FROM payment_transitions WHERE payment_id = $1 ORDER BY version',
    [payment.id],
  );
  expect(history.map(({ event }) => event)).toEqual(['opened', 'charged']);
  expect(environment.effects(payment.id)).toHaveLength(1);
});

it('says nothing new of what was answered as it should, and leaves no trace on the payment', async () => {
  environment.notify(service.url);
  const { id } = paymentOf(await client.post('/v1/payments', orderOf({ first: 'stripe' }), 'plain'));
  await quiet();
  await inbox('applied');
  expect(await noticesOf(id)).toEqual([]);
});

it('shows a person a capture that came to nothing after the PSP had said yes', async () => {
  environment.notify(service.url);
  const order = orderOf({ first: 'adyen', capture: 'manual' });
  const { id } = paymentOf(await client.post('/v1/payments', order, 'captured'));
  await client.post(`/v1/payments/${id}/capture`, {}, 'capture');
  await quiet();
  const capture = environment.effects(id).find(({ operation }) => operation === 'capture')!;
  expect(environment.simulator.fail('adyen', capture.psp_reference)).toBe(true);
  await eventually(
    async () => (await environment.sql("SELECT 1 FROM webhook_inbox WHERE state = 'break'")).length === 1,
    'it is a break',
  );
  expect((await client.payment(id)).status).toBe('captured');
  expect(await noticesOf(id)).toMatchObject([{ outcome: 'declined' }]);
});
