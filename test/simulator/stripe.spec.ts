import { startSimulator, type Simulator } from '@payonce/simulator';
import { effects, StripeClient } from './support.js';

describe('a simulated Stripe', () => {
  let simulator: Simulator;
  let stripe: StripeClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    stripe = new StripeClient(simulator.urls.stripe);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  it('charges a card and books it once', async () => {
    const { status, body, headers } = await stripe.charge({ key: 'k1' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      object: 'payment_intent',
      status: 'succeeded',
      amount: 1000,
      amount_received: 1000,
      currency: 'eur',
    });
    expect(headers.get('request-id')).toMatch(/^req_/);
    const [effect] = simulator.ledger('stripe').effects;
    expect(effect).toEqual({
      seq: 1,
      psp: 'stripe',
      operation: 'charge',
      psp_reference: body.id,
      parent_reference: null,
      reference: 'payment-1-charge',
      route: '1',
      amount: 1000,
      currency: 'EUR',
      idempotency_key: 'k1',
      at: expect.any(String) as string,
    });
  });

  it('reserves, captures a part once, and releases the rest', async () => {
    const { body } = await stripe.charge({ manual: true, entityKey: 'payment-2-authorize' });
    expect(body).toMatchObject({ status: 'requires_capture', amount_capturable: 1000, amount_received: 0 });
    const capture = `/v1/payment_intents/${body.id}/capture`;
    const metadata = { 'metadata[payonce_entity_key]': 'payment-2-capture' };
    const tooMuch = await stripe.post(capture, { amount_to_capture: '1001' });
    expect(tooMuch.body.error.code).toBe('amount_too_large');
    const captured = await stripe.post(capture, { amount_to_capture: '400', ...metadata });
    expect(captured.body).toMatchObject({ status: 'succeeded', amount_received: 400, amount_capturable: 0 });
    const again = await stripe.post(capture);
    expect(again.status).toBe(400);
    expect(again.body.error.code).toBe('payment_intent_unexpected_state');
    expect(effects(simulator, 'stripe')).toEqual([
      'authorize payment-2-authorize 1000 EUR',
      'capture payment-2-capture 400 EUR',
    ]);
  });

  it('releases a reservation by cancel, and cancels nothing that succeeded', async () => {
    const reserved = await stripe.charge({ manual: true });
    const cancel = await stripe.post(`/v1/payment_intents/${reserved.body.id}/cancel`);
    expect(cancel.body).toMatchObject({ status: 'canceled', amount_capturable: 0 });
    const charged = await stripe.charge({ entityKey: 'payment-9-charge' });
    const refused = await stripe.post(`/v1/payment_intents/${charged.body.id}/cancel`);
    expect(refused.status).toBe(400);
    expect(effects(simulator, 'stripe').map((line) => line.split(' ')[0])).toEqual([
      'authorize',
      'void',
      'charge',
    ]);
  });

  it.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedLostCard', 'card_declined', 'lost_card'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', undefined],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', undefined],
    ['pm_decline_do_not_honor', 'card_declined', 'do_not_honor'],
  ])('declines %s and books nothing', async (token, code, declineCode) => {
    const { status, body } = await stripe.charge({ token });
    expect(status).toBe(402);
    expect(body.error).toMatchObject({ type: 'card_error', code });
    expect(body.error.decline_code).toBe(declineCode);
    expect(body.error.payment_intent?.status).toBe('requires_payment_method');
    expect(body.error.payment_intent?.last_payment_error?.code).toBe(code);
    expect(effects(simulator, 'stripe')).toEqual([]);
  });

  it('sends the customer away to authenticate and charges when they come back', async () => {
    const { body } = await stripe.charge({
      token: 'pm_card_authenticationRequired',
      extra: { return_url: 'https://shop.example/return' },
    });
    expect(body.status).toBe('requires_action');
    expect(effects(simulator, 'stripe')).toEqual([]);
    const back = await fetch(body.next_action?.redirect_to_url.url ?? '', { redirect: 'manual' });
    expect(back.status).toBe(302);
    expect(back.headers.get('location')).toContain('https://shop.example/return?payment_intent=pi_');
    expect((await stripe.get(`/v1/payment_intents/${body.id}`)).body.status).toBe('succeeded');
    expect(effects(simulator, 'stripe')).toEqual(['charge payment-1-charge 1000 EUR']);
  });

  it('declines rather than sends away when told to', async () => {
    const { status, body } = await stripe.charge({
      token: 'pm_card_authenticationRequired',
      extra: { error_on_requires_action: 'true' },
    });
    expect(status).toBe(402);
    expect(body.error).toMatchObject({
      code: 'authentication_required',
      decline_code: 'authentication_not_handled',
    });
  });

  it('lets an authentication fail', async () => {
    const { body } = await stripe.charge({ token: 'pm_card_authenticationRequired' });
    simulator.authenticate('stripe', body.id, 'failed');
    expect((await stripe.get(`/v1/payment_intents/${body.id}`)).body.status).toBe('requires_payment_method');
    expect(effects(simulator, 'stripe')).toEqual([]);
  });

  it.each([
    [{ currency: 'xyz' }, undefined, 'currency'],
    [{ amount: 49 }, 'amount_too_small', 'amount'],
    [{ amount: 1.5 }, 'parameter_invalid_integer', 'amount'],
    [{ amount: 100_000_000 }, 'amount_too_large', 'amount'],
    [{ extra: { colour: 'red' } }, 'parameter_unknown', 'colour'],
    [{ token: 'nonsense' }, 'resource_missing', 'payment_method'],
    [
      { extra: { statement_descriptor_suffix: 'far too long to be on a bill' } },
      undefined,
      'statement_descriptor_suffix',
    ],
  ])('refuses %j and stores nothing under its key', async (charge, code, param) => {
    const { status, body } = await stripe.charge({ key: 'k1', ...charge });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param });
    expect(body.error.code).toBe(code);
    expect((await stripe.charge({ key: 'k1' })).status).toBe(200);
  });

  it('wants a return_url as long as payment methods may redirect', async () => {
    const form = { amount: '1000', currency: 'eur', confirm: 'true', payment_method: 'pm_card_visa' };
    expect((await stripe.post('/v1/payment_intents', form)).body.error.param).toBe('return_url');
    const never = {
      'automatic_payment_methods[enabled]': 'true',
      'automatic_payment_methods[allow_redirects]': 'never',
    };
    expect((await stripe.post('/v1/payment_intents', { ...form, ...never })).status).toBe(200);
  });

  it('wants a secret key', async () => {
    const url = `${simulator.urls.stripe}/v1/payment_intents`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: 'Bearer pk_test_x' } })).status).toBe(401);
  });

  it('lists newest first, page by page, from a time on', async () => {
    for (const n of [1, 2, 3]) {
      await stripe.charge({ entityKey: `payment-${n}-charge` });
      simulator.advance(10_000, 'stripe');
    }
    const keys = (body: { data: readonly { metadata: Record<string, string> }[] }): (string | undefined)[] =>
      body.data.map(({ metadata }) => metadata['payonce_entity_key']);
    const first = await stripe.get('/v1/payment_intents?limit=2');
    expect(keys(first.body)).toEqual(['payment-3-charge', 'payment-2-charge']);
    expect(first.body.has_more).toBe(true);
    const next = await stripe.get(`/v1/payment_intents?limit=2&starting_after=${first.body.data[1]?.id}`);
    expect(keys(next.body)).toEqual(['payment-1-charge']);
    expect(next.body.has_more).toBe(false);
    const since = Math.floor(Date.now() / 1000) + 8;
    const recent = await stripe.get(`/v1/payment_intents?created[gte]=${since}`);
    expect(keys(recent.body)).toEqual(['payment-3-charge', 'payment-2-charge']);
  });

  it('finds by metadata, but only after the lag of its index', async () => {
    simulator.settings('stripe', { search_lag_ms: 60_000 });
    const { body } = await stripe.charge({ entityKey: "payment-o'neil-charge" });
    const escaped = "payment-o\\'neil-charge";
    expect((await stripe.search(escaped)).body.data).toEqual([]);
    simulator.advance(61_000, 'stripe');
    expect((await stripe.search(escaped)).body.data.map(({ id }) => id)).toEqual([body.id]);
    expect((await stripe.search('payment-2-charge')).body.data).toEqual([]);
    expect((await stripe.get('/v1/payment_intents/search?query=amount%3E1')).status).toBe(400);
  });

  describe('its idempotency keys', () => {
    it('replay the first answer, byte for byte, even when the payment has moved on', async () => {
      const first = await stripe.charge({ key: 'k1', manual: true });
      await stripe.post(`/v1/payment_intents/${first.body.id}/capture`, {}, 'k2');
      const second = await stripe.charge({ key: 'k1', manual: true });
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      expect(simulator.ledger('stripe').effects).toHaveLength(2);
    });

    it('replay a decline', async () => {
      const first = await stripe.charge({ key: 'k1', token: 'pm_decline_do_not_honor' });
      const second = await stripe.charge({ key: 'k1', token: 'pm_decline_do_not_honor' });
      expect(second).toMatchObject({ status: 402, body: first.body });
    });

    it('notice other parameters and another endpoint', async () => {
      const { body } = await stripe.charge({ key: 'k1', manual: true });
      const other = await stripe.charge({ key: 'k1', manual: true, amount: 2000 });
      expect(other.status).toBe(400);
      expect(other.body.error.type).toBe('idempotency_error');
      const elsewhere = await stripe.post(`/v1/payment_intents/${body.id}/capture`, {}, 'k1');
      expect(elsewhere.body.error.type).toBe('idempotency_error');
    });

    it('are in use while the first request runs', async () => {
      simulator.faults('stripe', { fault: 'delay_before', next: 1, delay_ms: 600_000 });
      const first = stripe.charge({ key: 'k1' });
      while (simulator.calls('stripe').length === 0) await new Promise((resolve) => setImmediate(resolve));
      const second = await stripe.charge({ key: 'k1' });
      expect(second.status).toBe(409);
      expect(second.body.error.code).toBe('idempotency_key_in_use');
      simulator.advance(600_000, 'stripe');
      expect((await first).status).toBe(200);
      expect(simulator.ledger('stripe').effects).toHaveLength(1);
    });

    it('replay a stored 500 for ever, whether or not it charged', async () => {
      simulator.faults('stripe', { fault: 'error_500_before', reference: 'payment-1-', times: 1 });
      simulator.faults('stripe', { fault: 'error_500_after', reference: 'payment-2-', times: 1 });
      for (const [key, entityKey] of [
        ['k1', 'payment-1-charge'],
        ['k2', 'payment-2-charge'],
      ]) {
        for (const replayed of [null, 'true']) {
          const { status, headers } = await stripe.charge({ key, entityKey });
          expect([status, headers.get('idempotent-replayed')]).toEqual([500, replayed]);
        }
      }
      expect(effects(simulator, 'stripe')).toEqual(['charge payment-2-charge 1000 EUR']);
    });

    it('are forgotten after 24 hours: the same key charges again', async () => {
      await stripe.charge({ key: 'k1' });
      simulator.advance(24 * 3_600_000 - 1_000, 'stripe');
      expect((await stripe.charge({ key: 'k1' })).headers.get('idempotent-replayed')).toBe('true');
      simulator.advance(2_000, 'stripe');
      expect((await stripe.charge({ key: 'k1' })).headers.get('idempotent-replayed')).toBeNull();
      expect(simulator.ledger('stripe').effects).toHaveLength(2);
    });
  });
});
