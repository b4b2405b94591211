import { createHmac } from 'node:crypto';
import { type Clock } from './clock.js';
import { idSource } from './ids.js';
import { type Webhooks } from './webhooks.js';

/** Stripe's signed notifications. */
export class StripeEvents {
  private readonly nextEvent = idSource('evt_1', 23);

  constructor(
    private readonly clock: Clock,
    private readonly webhooks: Webhooks,
  ) {}

  /** `key` is that of the request that led to it, null where none did. */
  announce(type: string, object: () => object, key: string | null): void {
    const id = this.nextEvent();
    const created = Math.floor(this.clock.now() / 1000);
    this.webhooks.send((secrets) => {
      const body = JSON.stringify({
        id,
        object: 'event',
        api_version: '2026-10-28.endive',
        created,
        data: { object: object() },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: key },
        type,
      });
      // When it is sent, however far the time of objects was moved on: receivers refuse a time to come.
      const time = Math.floor(Date.now() / 1000);
      // While a secret is rotated there is one signature by each.
      const signatures = secrets.map(
        (secret) => `v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`,
      );
      return { headers: { 'stripe-signature': [`t=${time}`, ...signatures].join(',') }, body };
    });
  }

  /** What happens by itself, and is notified then. */
  later(ms: number, type: string, object: () => object, still: () => boolean): void {
    this.webhooks.schedule(ms, () => {
      if (still()) this.announce(type, object, null);
    });
  }
}
