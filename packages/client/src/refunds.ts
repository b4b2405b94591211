import { type Asked, type Refund } from './api.js';
import { type List } from './list.js';
import { type ReadOptions } from './options.js';
import { type Transport } from './transport.js';

export type RefundFilter = NonNullable<Asked<'get', '/v1/refunds'>['query']>;

/** Refunds of all payments; they are asked for with `payments.refund`. */
export class Refunds {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: string, options?: ReadOptions): Promise<Refund> {
    return this.#transport.get('/v1/refunds/{id}', { path: { id } }, options);
  }

  /** Newest first. `limit` is how many come with a page; all pages are gone through. */
  list(query: RefundFilter = {}, options?: ReadOptions): List<Refund> {
    return this.#transport.list('/v1/refunds', { query }, options);
  }
}
