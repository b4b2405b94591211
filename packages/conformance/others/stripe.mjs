import { Stripe } from 'stripe';

/** Stripe's SDK as its README shows it: its own retries, and the seconds that a shop waits. */
export function stripeAt(url) {
  const { hostname, port } = new URL(url);
  return new Stripe('sk_test_shop', { protocol: 'http', host: hostname, port, timeout: 1_000 });
}

/** What a shop tells its client of an intent. */
export function toldBy({ id, status }) {
  if (status === 'succeeded' || status === 'requires_capture') return { status: 'done', payment: id };
  return { status: status === 'requires_payment_method' || status === 'canceled' ? 'failed' : 'unknown' };
}

/** A card's no is final, and so is a request that Stripe takes for wrong, unless because it was done before; of all else nothing is known. */
export function toldOf(error) {
  if (error?.code === 'charge_already_refunded') return { status: 'done' };
  if (error?.code === 'payment_intent_unexpected_state' && error.payment_intent)
    return toldBy(error.payment_intent);
  if (error?.code === 'idempotency_key_in_use') return { status: 'unknown' };
  const isFinal = error?.type === 'StripeCardError' || error?.type === 'StripeInvalidRequestError';
  return { status: isFinal ? 'failed' : 'unknown' };
}

/** Charges, captures and refunds; `keyOf`: the options of a request, from the client's key. */
export class Shop {
  constructor(keyOf) {
    this.keyOf = keyOf;
  }

  async start(psps) {
    this.stripe = stripeAt(psps.stripe);
  }

  charge(ask) {
    return this.pay(ask, 'automatic');
  }

  authorize(ask) {
    return this.pay(ask, 'manual');
  }

  capture(payment, { key }) {
    return this.told(async () =>
      toldBy(await this.stripe.paymentIntents.capture(payment, {}, this.keyOf(key))),
    );
  }

  refund(payment, { key }) {
    return this.told(async () => {
      await this.stripe.refunds.create({ payment_intent: payment }, this.keyOf(key));
      return { status: 'done' };
    });
  }

  async stop() {}

  pay({ key, amount, currency, tokens }, capture) {
    const intent = {
      amount,
      currency,
      confirm: true,
      capture_method: capture,
      payment_method: tokens.stripe,
      return_url: 'https://shop.example',
    };
    return this.told(async () => toldBy(await this.stripe.paymentIntents.create(intent, this.keyOf(key))));
  }

  told(ask) {
    return ask().catch(toldOf);
  }
}
