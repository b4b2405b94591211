import {
  type Order,
  type OrderDetails,
  type Asked,
  type PaymentOrder,
  type Payment,
  type PaymentRequest,
} from './api.js';
import { type Clock } from './clock.js';
import { AbortedError, ApiError } from './errors.js';
import { type List } from './list.js';
import { type ReadOptions, type WriteOptions } from './options.js';
import { type Payments } from './payments.js';
import { type Transport } from './transport.js';

export type OrderFilter = NonNullable<Asked<'get', '/v1/orders'>['query']>;

/** The outcome of a try to pay an order, as a checkout acts upon it. */
export type OrderOutcome =
  /** This try paid it, or its part; authorized only, with `capture: 'manual'`. */
  | { readonly outcome: 'paid'; readonly payment: Payment }
  /** Nothing was taken, for `payment.failure`: the customer may try another card, under a new key. */
  | { readonly outcome: 'declined'; readonly payment: Payment }
  /** The customer has to act: `payment.next_action`. */
  | { readonly outcome: 'action'; readonly payment: Payment }
  /** Another try had paid it; that payment's id. */
  | { readonly outcome: 'paid_before'; readonly paymentId: string }
  /** Not known within the patience: ask again with this key and the same request, never with a new key. */
  | {
      readonly outcome: 'in_doubt';
      readonly idempotencyKey: string;
      /** This try's payment, or that of another one which stands in its way. */
      readonly paymentId: string | null;
    };

/** For one try to pay an order. */
export interface PayOrderOptions extends WriteOptions {
  /** From the start to the answer, in ms. Default: 60 s. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;
const PAUSE_MS = 2_000;

/** Orders: what a customer owes once. Every method throws a PayonceError. */
export class Orders {
  readonly #transport: Transport;
  readonly #payments: Payments;
  readonly #clock: Clock;
  readonly #newKey: () => string;

  constructor(transport: Transport, payments: Payments, clock: Clock, newKey: () => string) {
    this.#transport = transport;
    this.#payments = payments;
    this.#clock = clock;
    this.#newKey = newKey;
  }

  get(reference: string, options?: ReadOptions): Promise<OrderDetails> {
    return this.#transport.get('/v1/orders/{reference}', { path: { reference } }, options);
  }

  /** Newest first. `limit` is how many come with a page; all pages are gone through. */
  list(query: OrderFilter = {}, options?: ReadOptions): List<Order> {
    return this.#transport.list('/v1/orders', { query }, options);
  }

  /**
   * Pays an order with one card: asks, with one key, until it is known what came of it, or for `patienceMs`. While
   * another try is in doubt it asks again, as the service says when. A second card is another call with another key.
   */
  async pay(
    order: PaymentOrder,
    request: Omit<PaymentRequest, 'order'>,
    { patienceMs = PATIENCE_MS, idempotencyKey = this.#newKey(), ...options }: PayOrderOptions = {},
  ): Promise<OrderOutcome> {
    const untilMs = this.#clock.monotonicMs() + patienceMs;
    const { signal } = options;
    for (;;) {
      const leftMs = Math.max(untilMs - this.#clock.monotonicMs(), 1);
      try {
        const { body } = await this.#payments.create(
          { ...request, order },
          { ...options, idempotencyKey, waitUntilSettledMs: leftMs },
        );
        return outcomeOf(body, idempotencyKey);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { code, paymentId, retryAfterMs, tries } = error;
        if (code === 'order_paid' && paymentId !== null) return { outcome: 'paid_before', paymentId };
        if (code !== 'order_in_doubt') throw error;
        const pauseMs = retryAfterMs ?? PAUSE_MS;
        if (this.#clock.monotonicMs() + pauseMs >= untilMs)
          return { outcome: 'in_doubt', idempotencyKey, paymentId };
        await this.#clock.sleep(pauseMs, signal).catch((reason: unknown) => {
          throw new AbortedError({ idempotencyKey, outcomeKnown: true, tries }, reason);
        });
      }
    }
  }
}

function outcomeOf(payment: Payment, idempotencyKey: string): OrderOutcome {
  switch (payment.status) {
    case 'processing':
      return { outcome: 'in_doubt', idempotencyKey, paymentId: payment.id };
    case 'requires_action':
      return { outcome: 'action', payment };
    case 'failed':
    case 'canceled':
      return { outcome: 'declined', payment };
    default:
      return { outcome: 'paid', payment };
  }
}
