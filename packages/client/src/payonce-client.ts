import { Events } from './events.js';
import { type ClientOptions, settingsOf } from './options.js';
import { Orders } from './orders.js';
import { Payments } from './payments.js';
import { Payouts } from './payouts.js';
import { Recipients } from './recipients.js';
import { Refunds } from './refunds.js';
import { Transport } from './transport.js';
import { WebhookEndpoints } from './webhook-endpoints.js';

/**
 * A client of Payonce's REST API that may be asked for money and asks again by itself: with the same
 * Idempotency-Key, so that however often it does, there is one effect.
 *
 * It needs `fetch` and nothing else: Node 20 or newer, or a browser.
 */
export class PayonceClient {
  readonly payments: Payments;
  readonly refunds: Refunds;
  readonly orders: Orders;
  readonly payouts: Payouts;
  readonly recipients: Recipients;
  readonly events: Events;
  readonly webhookEndpoints: WebhookEndpoints;

  /** @throws TypeError that names the option that cannot be right */
  constructor(options: ClientOptions) {
    const settings = settingsOf(options);
    const transport = new Transport(settings);
    this.payments = new Payments(transport);
    this.refunds = new Refunds(transport);
    this.orders = new Orders(transport, this.payments, settings.clock, settings.newIdempotencyKey);
    this.payouts = new Payouts(transport);
    this.recipients = new Recipients(transport);
    this.events = new Events(transport);
    this.webhookEndpoints = new WebhookEndpoints(transport);
  }
}
