import {
  type Asked,
  type Attempt,
  type CancelRequest,
  type Capture,
  type CaptureRequest,
  type CompleteRequest,
  type Dispute,
  type Payment,
  type PaymentRequest,
  type Refund,
  type RefundRequest,
} from './api.js';
import { type List } from './list.js';
import { type ReadOptions, type WriteOptions } from './options.js';
import { type Transport, type Written } from './transport.js';

export type RefundPaging = NonNullable<Asked<'get', '/v1/payments/{id}/refunds'>['query']>;
export type DisputeFilter = NonNullable<Asked<'get', '/v1/disputes'>['query']>;
export type PaymentFilter = NonNullable<Asked<'get', '/v1/payments'>['query']>;

/** Payments. Every method throws a PayonceError, and a TypeError for options that cannot be right. */
export class Payments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Charges, or with `capture: 'manual'` authorizes. A decline is a payment with status `failed`. */
  create(body: PaymentRequest, options?: WriteOptions): Promise<Written<'/v1/payments'>> {
    return this.#transport.post('/v1/payments', { body }, options);
  }

  get(id: string, options?: ReadOptions): Promise<Payment> {
    return this.#transport.get('/v1/payments/{id}', { path: { id } }, options);
  }

  /** Newest first. `limit` is how many come with a page; all pages are gone through. */
  list(query: PaymentFilter = {}, options?: ReadOptions): List<Payment> {
    return this.#transport.list('/v1/payments', { query }, options);
  }

  /** Disputes of all payments, the newest first. */
  disputes(query: DisputeFilter = {}, options?: ReadOptions): List<Dispute> {
    return this.#transport.list('/v1/disputes', { query }, options);
  }

  /** Every call that was made to a PSP for a payment, the newest first. */
  attempts(id: string, options?: ReadOptions): List<Attempt> {
    return this.#transport.list('/v1/payments/{id}/attempts', { path: { id } }, options);
  }

  /** The captures of a payment, the newest first. */
  captures(id: string, options?: ReadOptions): List<Capture> {
    return this.#transport.list('/v1/payments/{id}/captures', { path: { id } }, options);
  }

  /** All that is authorized, or with `amount` a part. */
  capture(
    id: string,
    body?: CaptureRequest,
    options?: WriteOptions,
  ): Promise<Written<'/v1/payments/{id}/capture'>> {
    return this.#transport.post('/v1/payments/{id}/capture', { path: { id }, body }, options);
  }

  /**
   * Gives back all that is left, or with `amount` a part; several parts have a `reference` each. Asked
   * for again, under any key, it is the same refund. One that failed has status `failed`.
   */
  refund(
    id: string,
    body?: RefundRequest,
    options?: WriteOptions,
  ): Promise<Written<'/v1/payments/{id}/refunds'>> {
    return this.#transport.post('/v1/payments/{id}/refunds', { path: { id }, body }, options);
  }

  /** The refunds of a payment, the newest first. */
  refunds(id: string, query: RefundPaging = {}, options?: ReadOptions): List<Refund> {
    return this.#transport.list('/v1/payments/{id}/refunds', { path: { id }, query }, options);
  }

  /**
   * Brings a payment to its end whose customer has come back: what the return handed over goes to the PSP.
   * Another action may follow; see `next_action` again.
   */
  complete(
    id: string,
    body: CompleteRequest,
    options?: WriteOptions,
  ): Promise<Written<'/v1/payments/{id}/complete'>> {
    return this.#transport.post('/v1/payments/{id}/complete', { path: { id }, body }, options);
  }

  /** Voids an authorization. */
  cancel(
    id: string,
    body?: CancelRequest,
    options?: WriteOptions,
  ): Promise<Written<'/v1/payments/{id}/cancel'>> {
    return this.#transport.post('/v1/payments/{id}/cancel', { path: { id }, body }, options);
  }
}
