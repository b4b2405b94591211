import {
  atRest,
  orderOf,
  paymentOf,
  type ApiClient,
  openWithService,
  type TestEnvironment,
} from '../support/test-environment.js';

/** What Stripe answers, taken for what it means. */
let environment: TestEnvironment;
let client: ApiClient;

beforeAll(async () => {
  ({ environment, client } = await openWithService());
});
afterAll(() => environment.close());
beforeEach(() => environment.simulator.reset());

const tokens = { stripe: 'pm_card_chargeDeclinedProcessingError', adyen: 'shopper-token-8416' };

it('fails over on a decline that Stripe gives no decline_code for', async () => {
  const body = orderOf({ reference: 'own-code', tokens });
  const payment = paymentOf(await client.until(() => client.post('/v1/payments', body, 'own-code'), atRest));
  expect(payment).toMatchObject({ status: 'captured', psp: 'adyen' });
  expect(payment.routes.map(({ psp, outcome }) => [psp, outcome])).toEqual([
    ['stripe', 'declined'],
    ['adyen', 'succeeded'],
  ]);
  expect(environment.effects(payment.id).map(({ psp, operation }) => `${operation} ${psp}`)).toEqual([
    'charge adyen',
  ]);
});

it('says why a payment failed that Stripe gives no decline_code for', async () => {
  const body = orderOf({
    reference: 'expired',
    tokens: { ...tokens, stripe: 'pm_card_chargeDeclinedExpiredCard' },
  });
  const payment = paymentOf(await client.until(() => client.post('/v1/payments', body, 'expired'), atRest));
  expect(payment).toMatchObject({
    status: 'failed',
    failure: { category: 'declined', code: 'card_expired', psp_code: 'expired_card' },
  });
  expect(environment.effects(payment.id)).toEqual([]);
});

describe('an authorization that lapsed at Stripe', () => {
  /** Reserved, and then canceled by Stripe itself, of which nobody was notified. */
  const lapsed = async (reference: string) => {
    const body = orderOf({ reference, capture: 'manual' });
    const { id, psp_reference: intent } = paymentOf(
      await client.until(() => client.post('/v1/payments', body, reference), atRest),
    );
    const canceled = await fetch(`${environment.simulator.urls.stripe}/v1/payment_intents/${intent}/cancel`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_stage' },
    });
    expect(canceled.status).toBe(200);
    return id;
  };
  const effectsOf = (id: string) => environment.effects(id).map(({ operation }) => operation);

  it('is canceled for good when it is canceled', async () => {
    const id = await lapsed('lapsed-void');
    const cancel = () => client.post(`/v1/payments/${id}/cancel`, {}, 'lapsed-void-cancel');
    expect(paymentOf(await client.until(cancel, atRest))).toMatchObject({
      status: 'canceled',
      failure: null,
    });
    expect(effectsOf(id)).toEqual(['authorize', 'void']);
  });

  it('is not captured, says why, and can be canceled then', async () => {
    const id = await lapsed('lapsed-capture');
    const capture = () => client.post(`/v1/payments/${id}/capture`, {}, 'lapsed-capture-capture');
    expect(paymentOf(await client.until(capture, atRest))).toMatchObject({
      status: 'authorized',
      amount_captured: 0,
      failure: { category: 'declined', code: 'authorization_canceled' },
    });
    const cancel = () => client.post(`/v1/payments/${id}/cancel`, {}, 'lapsed-capture-cancel');
    expect(paymentOf(await client.until(cancel, atRest))).toMatchObject({ status: 'canceled' });
    expect(effectsOf(id)).toEqual(['authorize', 'void']);
  });

  it('is not captured either where the answer to that was lost', async () => {
    const id = await lapsed('lapsed-lost');
    environment.simulator.faults('stripe', { fault: 'reset_after', next: 1 });
    const capture = () => client.post(`/v1/payments/${id}/capture`, {}, 'lapsed-lost-capture');
    expect(paymentOf(await client.until(capture, atRest))).toMatchObject({
      status: 'authorized',
      failure: { category: 'declined', code: 'authorization_canceled' },
    });
  });
});
