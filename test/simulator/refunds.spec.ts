import { startSimulator, type Simulator } from '@payonce/simulator';
import { AdyenClient, effects, type Seen, StripeClient } from './support.js';

const merchantAccount = 'PayonceECOM';

describe('refunds at the simulated PSPs', () => {
  let simulator: Simulator;
  let stripe: StripeClient;
  let adyen: AdyenClient;

  beforeAll(async () => {
    simulator = await startSimulator();
    stripe = new StripeClient(simulator.urls.stripe);
    adyen = new AdyenClient(simulator.urls.adyen);
  });
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.close());

  describe('Stripe', () => {
    const refund = (
      payment: Seen,
      amount: number | null,
      name = 'one',
      extra: Record<string, string> = {},
      key?: string,
    ): Promise<Seen> => {
      const form = {
        payment_intent: payment.body.id,
        ...(amount === null ? {} : { amount: String(amount) }),
        'metadata[payonce_entity_key]': `payment-1-refund-${name}`,
        'metadata[payonce_route]': '1',
        ...extra,
      };
      return stripe.post('/v1/refunds', form, key);
    };

    it('gives back parts, under names of their own, and never more than was received', async () => {
      const payment = await stripe.charge();
      const first = await refund(payment, 600, 'a', { reason: 'requested_by_customer' });
      expect(first).toMatchObject({
        status: 200,
        body: { object: 'refund', status: 'succeeded', amount: 600 },
      });
      const tooMuch = await refund(payment, 401, 'b');
      expect(tooMuch).toMatchObject({ status: 400, body: { error: { code: 'amount_too_large' } } });
      expect((await refund(payment, null, 'c')).body).toMatchObject({ amount: 400 });
      const nothing = await refund(payment, 1, 'd');
      expect(nothing).toMatchObject({ status: 400, body: { error: { code: 'charge_already_refunded' } } });
      expect(effects(simulator, 'stripe')).toEqual([
        'charge payment-1-charge 1000 EUR',
        'refund payment-1-refund-a 600 EUR',
        'refund payment-1-refund-c 400 EUR',
      ]);
      expect(simulator.ledger('stripe').effects[1]).toMatchObject({
        psp_reference: first.body.id,
        parent_reference: payment.body.id,
        route: '1',
      });
      const after = await stripe.get(`/v1/payment_intents/${payment.body.id}?expand[]=latest_charge`);
      expect(after.body).toMatchObject({
        status: 'succeeded',
        amount_received: 1000,
        latest_charge: { amount_refunded: 1000, refunded: true },
      });
    });

    it('refunds what was captured, not what was authorized', async () => {
      const payment = await stripe.charge({ manual: true });
      expect((await refund(payment, 100)).status).toBe(400);
      await stripe.post(`/v1/payment_intents/${payment.body.id}/capture`, { amount_to_capture: '700' });
      expect((await refund(payment, 701)).body.error.code).toBe('amount_too_large');
      expect((await refund(payment, 700)).status).toBe(200);
    });

    it('refunds once for a key, notices another request under it, and forgets it after 24 hours', async () => {
      const payment = await stripe.charge();
      const first = await refund(payment, 300, 'a', {}, 'k1');
      const again = await refund(payment, 300, 'a', {}, 'k1');
      expect(again.body).toEqual(first.body);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await refund(payment, 301, 'a', {}, 'k1')).body.error.type).toBe('idempotency_error');
      simulator.advance(25 * 3_600_000, 'stripe');
      expect((await refund(payment, 300, 'a', {}, 'k1')).body.id).not.toBe(first.body.id);
      expect(simulator.ledger('stripe').effects).toHaveLength(3);
    });

    it('is found by id and in the list of its payment, newest first, page by page', async () => {
      const [payment, other] = [await stripe.charge(), await stripe.charge()];
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c']) ids.push((await refund(payment, 10, name)).body.id);
      await refund(other, 10);
      expect((await stripe.get(`/v1/refunds/${ids[0]}`)).body).toMatchObject({
        id: ids[0],
        metadata: { payonce_entity_key: 'payment-1-refund-a' },
      });
      const of = `/v1/refunds?payment_intent=${payment.body.id}&limit=2`;
      const page = await stripe.get(of);
      expect(page.body.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
      expect(page.body.has_more).toBe(true);
      const rest = await stripe.get(`${of}&starting_after=${ids[1]}`);
      expect(rest.body.data.map(({ id }) => id)).toEqual([ids[0]]);
      expect(rest.body.has_more).toBe(false);
      expect((await stripe.get('/v1/refunds/re_none')).status).toBe(404);
    });

    it('fails, or waits, for the cards of which refunds do', async () => {
      const failing = await stripe.charge({ token: 'pm_card_refundFail' });
      expect((await refund(failing, 100)).body).toMatchObject({
        status: 'failed',
        failure_reason: 'unknown',
      });
      const slow = await stripe.charge({ token: 'pm_card_pendingRefund' });
      const pending = await refund(slow, 100);
      expect(pending.body.status).toBe('pending');
      simulator.advance(3_600_000, 'stripe');
      expect((await stripe.get(`/v1/refunds/${pending.body.id}`)).body.status).toBe('succeeded');
      expect(effects(simulator, 'stripe').filter((line) => line.startsWith('refund'))).toHaveLength(1);
    });

    it.each([
      [{ payment_intent: '' }, 404],
      [{ payment_intent: 'pi_none' }, 404],
      [{ amount: '0' }, 400],
      [{ amount: '1.5' }, 400],
      [{ reason: 'because' }, 400],
      [{ unheard_of: '1' }, 400],
    ])('refuses %j', async (wrong, status) => {
      const payment = await stripe.charge();
      expect((await refund(payment, 100, 'a', { ...wrong })).status).toBe(status);
      expect(simulator.ledger('stripe').effects).toHaveLength(1);
    });

    it('takes faults as charges do', async () => {
      const payment = await stripe.charge();
      simulator.faults('stripe', { fault: 'decline', code: 'declined', reference: 'payment-1-refund-a' });
      simulator.faults('stripe', { fault: 'error_500_after', reference: 'payment-1-refund-b' });
      expect((await refund(payment, 100, 'a')).body).toMatchObject({ failure_reason: 'declined' });
      expect((await refund(payment, 100, 'b')).status).toBe(500);
      expect(effects(simulator, 'stripe').slice(1)).toEqual(['refund payment-1-refund-b 100 EUR']);
    });
  });

  describe('Adyen', () => {
    const modify = (payment: Seen, verb: string, value: number | null, name = 'one', key?: string) =>
      adyen.post(
        `/v71/payments/${payment.body.pspReference}/${verb}`,
        {
          merchantAccount,
          reference: `payment-1-${verb}-${name}`,
          ...(value === null ? {} : { amount: { value, currency: 'EUR' } }),
        },
        key,
      );

    it('receives every refund, and carries out what the captured amount covers', async () => {
      const payment = await adyen.pay();
      for (const value of [600, 401, 400, 1]) {
        const answer = await modify(payment, 'refunds', value, String(value));
        expect(answer).toMatchObject({
          status: 201,
          body: { status: 'received', paymentPspReference: payment.body.pspReference, amount: { value } },
        });
      }
      expect(effects(simulator, 'adyen')).toEqual([
        'charge payment-1-charge 1000 EUR',
        'refund payment-1-refunds-600 600 EUR',
        'refund payment-1-refunds-400 400 EUR',
      ]);
      expect(simulator.ledger('adyen').effects[1]?.parent_reference).toBe(payment.body.pspReference);
    });

    it('refunds nothing that is only reserved, and once for a key', async () => {
      const payment = await adyen.pay({ manual: true });
      await modify(payment, 'refunds', 100, 'early');
      await modify(payment, 'captures', 500);
      const first = await modify(payment, 'refunds', 300, 'a', 'k1');
      expect((await modify(payment, 'refunds', 300, 'a', 'k1')).body).toEqual(first.body);
      await modify(payment, 'refunds', 201, 'b');
      expect(effects(simulator, 'adyen').slice(1)).toEqual([
        'capture payment-1-captures-one 500 EUR',
        'refund payment-1-refunds-a 300 EUR',
      ]);
    });

    it('voids the rest after partial captures, once, and captures no more', async () => {
      const payment = await adyen.pay({ manual: true });
      await modify(payment, 'captures', 300, 'a');
      await modify(payment, 'captures', 200, 'b');
      await modify(payment, 'cancels', null, 'a');
      await modify(payment, 'cancels', null, 'b');
      await modify(payment, 'captures', 1, 'c');
      await modify(payment, 'refunds', 500);
      expect(effects(simulator, 'adyen').slice(3)).toEqual([
        'void payment-1-cancels-a 500 EUR',
        'refund payment-1-refunds-one 500 EUR',
      ]);
    });

    it('reverses what was captured and not given back, and releases the rest', async () => {
      const payment = await adyen.pay({ manual: true });
      await modify(payment, 'captures', 600);
      await modify(payment, 'refunds', 250);
      await modify(payment, 'reversals', null, 'a');
      await modify(payment, 'reversals', null, 'b');
      await modify(payment, 'refunds', 1, 'after');
      expect(effects(simulator, 'adyen').slice(3)).toEqual([
        'refund payment-1-reversals-a 350 EUR',
        'void payment-1-reversals-a 400 EUR',
      ]);
    });

    it('refuses an amount that is none, another currency, and a payment it never saw', async () => {
      const payment = await adyen.pay();
      expect((await modify(payment, 'refunds', 0)).body.errorCode).toBe('137');
      expect((await modify(payment, 'refunds', null)).body.errorCode).toBe('100');
      const usd = { merchantAccount, amount: { value: 1, currency: 'USD' } };
      const path = `/v71/payments/${payment.body.pspReference}/refunds`;
      expect((await adyen.post(path, usd)).body.errorCode).toBe('138');
      expect((await adyen.post('/v71/payments/AAAAAAAAAAAAAAAA/refunds', usd)).body.errorCode).toBe('167');
      expect(simulator.ledger('adyen').effects).toHaveLength(1);
    });
  });
});
