import {
  atRest,
  orderOf,
  paymentOf,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** Cards that a PSP keeps for a customer of its own are charged only together with that customer. */
let environment: TestEnvironment;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, client } = await openWithService());
  environment.hide(...Object.values(customers));
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

const customers = { stripe: 'cus_ofTheStoredCard', adyen: 'shopper-ofTheStoredCard' };
const tokens = { stripe: 'pm_attached_visa', adyen: 'shopper-token-8416' };

const pay = async (name: string, first: 'stripe' | 'adyen', more: object, customer?: object) => {
  const body = orderOf({ first, reference: name, tokens });
  const payment_method = { ...body.payment_method, ...more };
  const ask = () => client.post('/v1/payments', { ...body, payment_method, customer }, name);
  const reply = await client.until(ask, atRest);
  return { reply, payment: paymentOf(reply), again: await ask() };
};

it.each(['stripe', 'adyen'] as const)('is charged at %s with its customer, and once', async (first) => {
  const { reply, payment, again } = await pay(`with-${first}`, first, { customers });
  expect(payment).toMatchObject({ status: 'captured', psp: first });
  expect(payment.routes).toHaveLength(1);
  expect(again.text).toBe(reply.text);
  expect(environment.effects(payment.id).map(({ psp }) => psp)).toEqual([first]);
});

it.each(['stripe', 'adyen'] as const)('is refused at %s without its customer', async (first) => {
  const { payment } = await pay(`without-${first}`, first, {});
  expect(payment).toMatchObject({ status: 'failed', failure: { category: 'psp_rejected' } });
  expect(environment.effects(payment.id)).toEqual([]);
});

it('is charged at Adyen with the customer reference where no customers are given', async () => {
  const { payment } = await pay('reference', 'adyen', {}, { reference: 'customer-1' });
  expect(payment).toMatchObject({ status: 'captured', psp: 'adyen' });
});

it('is charged by the merchant itself, and a step that needs the customer is a decline', async () => {
  const asks = { stripe: 'pm_card_authenticationRequired', adyen: 'redirect' };
  const { payment } = await pay('away', 'stripe', { customers, initiator: 'merchant', tokens: asks });
  expect(payment).toMatchObject({
    status: 'failed',
    failure: { code: 'authentication_required' },
    next_action: null,
  });
  const other = await pay('by-merchant', 'stripe', { customers, initiator: 'merchant' });
  expect(other.payment).toMatchObject({ status: 'captured', psp: 'stripe' });
  const reused = await client.post(
    '/v1/payments',
    { ...orderOf({ reference: 'by-merchant', tokens }), customer: undefined },
    'by-merchant',
  );
  expect(reused.status).toBe(422);
});
