import { createRequire } from 'node:module';
import { pointedAt } from './pointed-at.mjs';

const require = createRequire(import.meta.url);
const { StripeService } = require('@vendure/payments-plugin/package/stripe/stripe.service.js');
const { VendureStripeClient } = require('@vendure/payments-plugin/package/stripe/stripe-client.js');
const { stripePaymentMethodHandler } = require('@vendure/payments-plugin/package/stripe/stripe.handler.js');

/**
 * The service and the handler of Vendure's plugin for Stripe, with orders as Vendure hands them over. Vendure's server is
 * not run: what it reads from its database (the payment method's API key) is given. Charges are confirmed by the server, by
 * the plugin's option `paymentIntentCreateParams`. Vendure captures nothing by this plugin.
 */
export const target = {
  async start(psps) {
    const paymentIntentCreateParams = (_injector, _ctx, order) => ({
      confirm: true,
      return_url: 'https://shop.example',
      payment_method: order.token,
    });
    const service = new StripeService({ paymentIntentCreateParams }, undefined, undefined, undefined);
    this.client = pointedAt(new VendureStripeClient('sk_test_shop', 'whsec'), psps.stripe);
    service.getStripeClient = async () => this.client;
    this.service = service;
    await stripePaymentMethodHandler.init({ get: () => service });
  },
  async charge({ key, amount, currency, tokens }) {
    const ctx = { channel: { token: 'default' }, languageCode: 'en' };
    const order = { id: key, code: key, totalWithTax: amount, currencyCode: currency, token: tokens.stripe };
    try {
      const secret = await this.service.createPaymentIntent(ctx, order);
      const [payment] = secret.split('_secret_');
      // The shop's page looks at what became of it, as Stripe.js does.
      const { status } = await this.client.paymentIntents.retrieve(payment);
      return { status: status === 'succeeded' ? 'done' : 'unknown', payment };
    } catch (error) {
      return { status: error?.type === 'StripeCardError' ? 'failed' : 'unknown' };
    }
  },
  async refund(payment, { amount }) {
    const order = {};
    const refund = await stripePaymentMethodHandler.createRefund(
      {},
      {},
      amount,
      order,
      { transactionId: payment },
      [],
      {},
    );
    // A refund that failed is final in Vendure: a person may make another one. One that was made before is none that failed.
    if (/already been refunded/.test(refund.metadata?.message)) return { status: 'done' };
    return { status: { Settled: 'done', Failed: 'failed' }[refund.state] ?? 'unknown' };
  },
  async stop() {},
};
