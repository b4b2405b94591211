import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import StripeSdk from 'stripe';
import { startSimulator, type Simulator } from '@payonce/simulator';
import { hookFrom } from '../../packages/simulator/src/hooks.js';
import { AdyenClient, eventually, StripeClient } from './support.js';

interface Received {
  readonly body: string;
  readonly signature: string;
}

interface AdyenItem {
  readonly pspReference: string;
  readonly originalReference?: string;
  readonly merchantAccountCode: string;
  readonly merchantReference: string;
  readonly amount: { value: number; currency: string };
  readonly eventCode: string;
  readonly success: string;
  readonly additionalData: { hmacSignature: string };
}

const SECRET = 'whsec_test';
const HMAC_KEY = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056';

describe('webhooks of the simulator', () => {
  let simulator: Simulator;
  let stripe: StripeClient;
  let adyen: AdyenClient;
  let client: Server;
  let url: string;
  let received: Received[] = [];
  let failures = 0;

  beforeAll(async () => {
    simulator = await startSimulator();
    stripe = new StripeClient(simulator.urls.stripe);
    adyen = new AdyenClient(simulator.urls.adyen);
    client = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        failures -= 1;
        response.writeHead(failures >= 0 ? 500 : 200).end('[accepted]');
        if (failures < 0) received.push({ body, signature: String(request.headers['stripe-signature']) });
      });
    });
    await new Promise<void>((resolve) => void client.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(client.address() as AddressInfo).port}/webhooks`;
  });
  beforeEach(async () => {
    await simulator.reset();
    received = [];
    failures = 0;
  });
  afterAll(async () => {
    await simulator.close();
    client.closeAllConnections();
    client.close();
  });

  const events = (): string[] =>
    received.map(({ body, signature }) => StripeSdk.webhooks.constructEvent(body, signature, SECRET).type);

  it("are Stripe's: signed, and what the real SDK takes", async () => {
    simulator.webhook('stripe', { url, secret: SECRET });
    const { body } = await stripe.charge({ manual: true });
    await eventually(() => received.length === 1);
    await stripe.post(`/v1/payment_intents/${body.id}/cancel`);
    await eventually(() => received.length === 2);
    await stripe.charge({ token: 'pm_decline_fraudulent' });
    await eventually(() => received.length === 3);
    expect(events()).toEqual([
      'payment_intent.amount_capturable_updated',
      'payment_intent.canceled',
      'payment_intent.payment_failed',
    ]);
  });

  it("are Adyen's: one batch of items, each with its own HMAC", async () => {
    simulator.webhook('adyen', { url, secret: HMAC_KEY });
    const { body } = await adyen.pay({ manual: true });
    await eventually(() => received.length === 1);
    await adyen.post(`/v71/payments/${body.pspReference}/captures`, {
      merchantAccount: 'PayonceECOM',
      amount: { value: 5000, currency: 'EUR' },
    });
    await eventually(() => received.length === 2);
    const items = received.map((one) => {
      const batch = JSON.parse(one.body) as {
        notificationItems: [{ NotificationRequestItem: AdyenItem }];
      };
      return batch.notificationItems[0].NotificationRequestItem;
    });
    expect(items).toMatchObject([
      { eventCode: 'AUTHORISATION', success: 'true', pspReference: body.pspReference },
      { eventCode: 'CAPTURE', success: 'false', originalReference: body.pspReference },
    ]);
    for (const item of items) {
      const signed = [
        item.pspReference,
        item.originalReference ?? '',
        item.merchantAccountCode,
        item.merchantReference,
        item.amount.value,
        item.amount.currency,
        item.eventCode,
        item.success,
      ].join(':');
      const expected = createHmac('sha256', Buffer.from(HMAC_KEY, 'hex')).update(signed).digest('base64');
      expect(item.additionalData.hmacSignature).toBe(expected);
    }
  });

  it('tell which refunds were carried out, where the answer does not', async () => {
    simulator.webhook('adyen', { url, secret: HMAC_KEY });
    const { body } = await adyen.pay();
    for (const value of [600, 500]) {
      await adyen.post(`/v71/payments/${body.pspReference}/refunds`, {
        merchantAccount: 'PayonceECOM',
        reference: `payment-1-refund-${value}`,
        amount: { value, currency: 'EUR' },
      });
    }
    await eventually(() => received.length === 3);
    const told = received
      .map((one) => JSON.parse(one.body) as { notificationItems: { NotificationRequestItem: AdyenItem }[] })
      .map(({ notificationItems: [first] }) => first?.NotificationRequestItem)
      .filter((item) => item?.eventCode === 'REFUND')
      .map((item) => [item?.merchantReference, item?.originalReference, item?.amount.value, item?.success]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['payment-1-refund-600', body.pspReference, 600, 'true'],
        ['payment-1-refund-500', body.pspReference, 500, 'false'],
      ]),
    );
  });

  it('come twice, late, or newest first when asked to', async () => {
    simulator.webhook('stripe', { url, secret: SECRET, mode: 'duplicate' });
    await stripe.charge();
    await eventually(() => received.length === 2);
    expect(received[0]?.body).toBe(received[1]?.body);

    await simulator.reset();
    received = [];
    simulator.webhook('stripe', { url, secret: SECRET, mode: 'late', delay_ms: 600_000 });
    await stripe.charge();
    expect(received).toEqual([]);
    simulator.advance(600_000, 'stripe');
    await eventually(() => received.length === 1);
  });

  it('come newest first when they are shuffled', async () => {
    simulator.webhook('stripe', { url, secret: SECRET, mode: 'shuffled', delay_ms: 600_000 });
    const { body } = await stripe.charge({ manual: true });
    await stripe.post(`/v1/payment_intents/${body.id}/cancel`);
    expect(received).toEqual([]);
    simulator.advance(200_000, 'stripe');
    expect(received).toEqual([]);
    // The signatures carry the time of the PSP's clock, which is minutes ahead of ours by now.
    simulator.advance(400_000, 'stripe');
    await eventually(() => received.length === 2);
    const types = received.map((one) => (JSON.parse(one.body) as { type: string }).type);
    expect(types.toSorted()).toEqual(['payment_intent.amount_capturable_updated', 'payment_intent.canceled']);
  });

  it('are tried again when the endpoint fails', async () => {
    failures = 2;
    simulator.webhook('stripe', { url, secret: SECRET });
    await stripe.charge();
    await eventually(() => received.length === 1);
  });

  const quiet = (psp: 'stripe' | 'adyen') => eventually(() => simulator.webhooks(psp).waiting === 0);
  const typesOf = (): string[] => received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

  it('come five times over and out of order in a storm', async () => {
    // Nothing comes by itself: the clock brings one delivery after the other.
    simulator.webhook('stripe', { url, secret: SECRET, mode: 'storm', delay_ms: 600_000, seed: 7 });
    const { body } = await stripe.charge({ manual: true });
    await stripe.post(`/v1/payment_intents/${body.id}/cancel`);
    expect(simulator.webhooks('stripe')).toMatchObject({ events: 2, waiting: 10, delivered: 0 });
    for (let step = 1; step <= 60; step += 1) {
      simulator.advance(10_000, 'stripe');
      // Whatever has left has arrived before the next one leaves.
      await eventually(() => simulator.webhooks('stripe').in_flight === 0);
    }
    expect(simulator.webhooks('stripe')).toMatchObject({ waiting: 0, delivered: 10, failed: 0, dropped: 0 });
    const types = typesOf();
    expect(types.filter((type) => type === 'payment_intent.canceled')).toHaveLength(5);
    expect(new Set(received.map((one) => (JSON.parse(one.body) as { id: string }).id)).size).toBe(2);
    // A copy of the first event comes after one of the second.
    const authorized = 'payment_intent.amount_capturable_updated';
    expect(types.lastIndexOf(authorized)).toBeGreaterThan(types.indexOf('payment_intent.canceled'));
  });

  it('storm the same way for the same seed', () => {
    const drawn = (seed: number) => {
      const { random } = hookFrom({ url, mode: 'storm', seed }, 1);
      return Array.from({ length: 20 }, random);
    };
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  it('come before the answer of the call that made them, when asked to', async () => {
    simulator.webhook('stripe', { url, secret: SECRET, mode: 'early', copies: 3 });
    await stripe.charge();
    expect(received).toHaveLength(3);
    await stripe.charge({ token: 'pm_decline_fraudulent' });
    expect(received).toHaveLength(6);
    // Who does not take it holds the answer up for one try, not for all.
    failures = 100;
    await stripe.charge();
    expect(received).toHaveLength(6);
    expect(simulator.webhooks('stripe')).toMatchObject({ delivered: 6, failed: 0 });
    failures = 0;
    await quiet('stripe');
  });

  it('do not hold an answer up for what is swept away', async () => {
    for (let hook = 0; hook < 16; hook += 1) {
      simulator.webhook('stripe', { url: 'http://127.0.0.1:9/', mode: 'early', copies: 20 });
    }
    const answer = stripe.charge();
    await eventually(() => simulator.webhooks('stripe').events === 1);
    await simulator.reset();
    expect((await answer).status).toBe(200);
  });

  it('are given up after the tries that were asked for, and counted', async () => {
    failures = 1_000;
    simulator.webhook('stripe', { url, secret: SECRET, tries: 2 });
    await stripe.charge();
    await quiet('stripe');
    expect(failures).toBe(998);
    expect(simulator.webhooks('stripe')).toMatchObject({ events: 1, delivered: 0, failed: 1, waiting: 0 });
  });

  it('are signed with another secret after a rotation, and by Stripe with both for a while', async () => {
    const id = simulator.webhook('stripe', { url, secret: SECRET });
    simulator.rotateSecret('stripe', { id, secret: 'whsec_next', keep_previous: true });
    await stripe.charge();
    await eventually(() => received.length === 1);
    const [{ body, signature }] = received as [Received];
    for (const secret of [SECRET, 'whsec_next']) {
      expect(() => StripeSdk.webhooks.constructEvent(body, signature, secret)).not.toThrow();
    }
    simulator.rotateSecret('stripe', { id, secret: 'whsec_next' });
    await stripe.charge();
    await eventually(() => received.length === 2);
    const [, last] = received as [Received, Received];
    expect(() => StripeSdk.webhooks.constructEvent(last.body, last.signature, SECRET)).toThrow(/signature/);
    expect(() => simulator.rotateSecret('stripe', { id: 9, secret: 'x' })).toThrow(/id/);
    expect(JSON.stringify(simulator.webhooks('stripe'))).not.toContain('whsec');
  });

  it('tell of what comes to pass by itself, by the clock', async () => {
    simulator.webhook('stripe', { url, secret: SECRET });
    const destination = { amount: '400', currency: 'eur', destination: 'ba_1' };
    await stripe.post('/v1/payouts', destination);
    const { body } = await stripe.charge({ token: 'pm_card_pendingRefund' });
    await stripe.post('/v1/refunds', { payment_intent: body.id });
    expect(simulator.webhooks('stripe').scheduled).toBe(3);
    await quiet('stripe');
    received = [];
    simulator.advance(3_600_000, 'stripe');
    await eventually(() => received.length === 2);
    simulator.advance(47 * 3_600_000, 'stripe');
    await eventually(() => received.length === 3);
    const told = received.map((one) => {
      const { type, data } = JSON.parse(one.body) as { type: string; data: { object: { status: string } } };
      return `${type} ${data.object.status}`;
    });
    expect(told.slice(0, 2).toSorted()).toEqual(['payout.updated in_transit', 'refund.updated succeeded']);
    expect(told[2]).toBe('payout.paid paid');
    await quiet('stripe');
    expect(simulator.webhooks('stripe')).toMatchObject({ scheduled: 0, waiting: 0 });
  });

  it.each([
    { mode: 'never' },
    { copies: 0 },
    { copies: 21 },
    { tries: 1.5 },
    { seed: -1 },
    { delay_ms: 600_001 },
  ])('are not sent as %j says', (options) => {
    expect(() => simulator.webhook('stripe', { url, ...options })).toThrow(/one of|number from/);
  });

  it('go to loopback addresses only', () => {
    for (const bad of [
      'http://10.0.0.1/',
      'https://127.0.0.1/',
      'http://127.0.0.1.example.com/',
      'file:///x',
      '',
    ]) {
      expect(() => simulator.webhook('stripe', { url: bad })).toThrow(/loopback/);
    }
  });
});
