import StripeSdk from 'stripe';
import { startSimulator, type Simulator } from '@payonce/simulator';
import { effects } from './support.js';

/** The SDK that the service uses, unchanged, against the simulator. */
describe('the real Stripe SDK', () => {
  let simulator: Simulator;
  let stripe: StripeSdk;

  beforeAll(async () => {
    simulator = await startSimulator();
    const { hostname, port } = new URL(simulator.urls.stripe);
    stripe = new StripeSdk('sk_test_x', {
      host: hostname,
      port: Number(port),
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  const order = {
    amount: 1000,
    currency: 'eur',
    confirm: true,
    payment_method: 'pm_card_visa',
    payment_method_types: ['card'],
    metadata: { payonce_entity_key: 'payment-1-charge', payonce_route: '1' },
    expand: ['latest_charge'],
  };

  it('creates, finds, captures and cancels', async () => {
    const reserved = await stripe.paymentIntents.create(
      { ...order, capture_method: 'manual' },
      { idempotencyKey: 'k1' },
    );
    expect(reserved.status).toBe('requires_capture');
    expect(reserved.latest_charge).toMatchObject({ object: 'charge', captured: false });
    const found = await stripe.paymentIntents.search({
      query: "metadata['payonce_entity_key']:'payment-1-charge'",
    });
    expect(found.data.map(({ id }) => id)).toEqual([reserved.id]);
    const captured = await stripe.paymentIntents.capture(reserved.id, { amount_to_capture: 700 });
    expect(captured).toMatchObject({ status: 'succeeded', amount_received: 700 });
    const listed = await stripe.paymentIntents.list({ created: { gte: captured.created }, limit: 3 });
    expect(listed.data).toHaveLength(1);
    const second = await stripe.paymentIntents.create({ ...order, capture_method: 'manual' });
    expect((await stripe.paymentIntents.cancel(second.id)).status).toBe('canceled');
    expect(simulator.ledger('stripe').effects.map(({ operation }) => operation)).toEqual([
      'authorize',
      'capture',
      'authorize',
      'void',
    ]);
  });

  it('names every refusal by the class it is known by', async () => {
    const create = (change: object, key = 'k'): Promise<unknown> =>
      stripe.paymentIntents.create({ ...order, ...change }, { idempotencyKey: key });
    await expect(create({ payment_method: 'pm_decline_do_not_honor' }, 'k1')).rejects.toMatchObject({
      type: 'StripeCardError',
      statusCode: 402,
      code: 'card_declined',
      decline_code: 'do_not_honor',
    });
    await expect(create({ currency: 'xyz' })).rejects.toMatchObject({ type: 'StripeInvalidRequestError' });
    await create({}, 'k2');
    await expect(create({ amount: 2000 }, 'k2')).rejects.toMatchObject({ type: 'StripeIdempotencyError' });
    simulator.faults('stripe', { fault: 'throttle', next: 1 });
    await expect(create({}, 'k3')).rejects.toMatchObject({ type: 'StripeRateLimitError' });
    simulator.faults('stripe', { fault: 'error_500_before', next: 1 });
    await expect(create({}, 'k4')).rejects.toMatchObject({ type: 'StripeAPIError', statusCode: 500 });
    simulator.faults('stripe', { fault: 'html_502_after', next: 1 });
    await expect(create({}, 'k5')).rejects.toMatchObject({ type: 'StripeAPIError' });
  });

  it('sends a POST again by itself when the connection is reset; the key keeps it to one charge', async () => {
    simulator.faults('stripe', { fault: 'reset_after', next: 1 });
    const charged = await stripe.paymentIntents.create(order, { idempotencyKey: 'k1' });
    expect(charged.status).toBe('succeeded');
    expect(simulator.calls('stripe')).toHaveLength(2);
    expect(effects(simulator, 'stripe')).toEqual(['charge payment-1-charge 1000 EUR']);
  });
});
