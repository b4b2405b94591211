import { type Asked, type Payout, type PayoutRequest } from './api.js';
import { type List } from './list.js';
import { type ReadOptions, type WriteOptions } from './options.js';
import { type Transport, type Written } from './transport.js';

export type PayoutFilter = NonNullable<Asked<'get', '/v1/payouts'>['query']>;

/** Money out. Every method throws a PayonceError, and a TypeError for options that cannot be right. */
export class Payouts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Sends a payout after the one named as `previous`, null for the recipient's first. One that failed
   * is a payout with status `failed`. One out of turn is refused (`payout_in_progress`,
   * `payout_sequence_stale`), and `payoutId` of the error names the one to read,
   * and to go back from, by `previous`, to the one that was named.
   */
  create(body: PayoutRequest, options?: WriteOptions): Promise<Written<'/v1/payouts'>> {
    return this.#transport.post('/v1/payouts', { body }, options);
  }

  get(id: string, options?: ReadOptions): Promise<Payout> {
    return this.#transport.get('/v1/payouts/{id}', { path: { id } }, options);
  }

  /** Newest first. `limit` is how many come with a page; all pages are gone through. */
  list(query: PayoutFilter = {}, options?: ReadOptions): List<Payout> {
    return this.#transport.list('/v1/payouts', { query }, options);
  }
}
