import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { pointedAt } from './pointed-at.mjs';

const { default: StripeProvider } = createRequire(import.meta.url)(
  '@medusajs/payment-stripe/dist/services/stripe-provider.js',
);

/**
 * Medusa's provider for Stripe, called as its payment module (2.21.2, `payment-module.ts`) calls it: the id of a new
 * session, capture or refund is the key of a request; one that fails is deleted, so that the next request has another.
 * Charges are confirmed by the server, as those of a stored card.
 */
export const target = {
  async start(psps) {
    this.provider = (capture) => {
      const provider = new StripeProvider(
        { logger: console },
        { apiKey: 'sk_test_shop', webhookSecret: 'whsec', capture },
      );
      pointedAt(Reflect.get(provider, 'stripe_'), psps.stripe);
      return provider;
    };
  },
  charge(ask) {
    return pay(this.provider(true), ask);
  },
  authorize(ask) {
    return pay(this.provider(false), ask);
  },
  async capture(payment) {
    const context = { idempotency_key: `capt_${randomUUID()}` };
    await this.provider(false).capturePayment({ data: { id: payment }, context });
    return { status: 'done' };
  },
  async refund(payment, { amount, currency }) {
    const context = { idempotency_key: `ref_${randomUUID()}` };
    const data = { id: payment, currency: currency.toLowerCase() };
    await this.provider(true).refundPayment({ amount: amount / 100, data, context });
    return { status: 'done' };
  },
  async stop() {},
};

async function pay(provider, { amount, currency, tokens }) {
  const session = `payses_${randomUUID()}`;
  const data = {
    session_id: session,
    confirm: true,
    off_session: true,
    payment_method: tokens.stripe,
    payment_method_types: ['card'],
  };
  const { id, status } = await provider.initiatePayment({
    amount: amount / 100,
    currency_code: currency.toLowerCase(),
    data,
    context: { idempotency_key: session },
  });
  if (status === 'captured' || status === 'authorized') return { status: 'done', payment: id };
  return { status: status === 'error' || status === 'canceled' ? 'failed' : 'unknown' };
}
