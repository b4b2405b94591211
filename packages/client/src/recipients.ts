import { type Asked, type Recipient, type RecipientRequest } from './api.js';
import { type List } from './list.js';
import { type ReadOptions } from './options.js';
import { type Transport } from './transport.js';

export type RecipientFilter = NonNullable<Asked<'get', '/v1/recipients'>['query']>;

/** Recipients are those whom a merchant pays out to. A repeated call changes nothing more. Every method throws a PayonceError. */
export class Recipients {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Other tokens under the same `reference` are a new version, which an operator may have to approve. */
  register(body: RecipientRequest, options?: ReadOptions): Promise<Recipient> {
    return this.#transport.act('/v1/recipients', { body }, options);
  }

  get(id: string, options?: ReadOptions): Promise<Recipient> {
    return this.#transport.get('/v1/recipients/{id}', { path: { id } }, options);
  }

  /** Newest first, removed ones too. `limit` is how many come with a page; all pages are gone through. */
  list(query: RecipientFilter = {}, options?: ReadOptions): List<Recipient> {
    return this.#transport.list('/v1/recipients', { query }, options);
  }

  /** Nothing is paid to it until it is registered again. */
  remove(id: string, options?: ReadOptions): Promise<Recipient> {
    return this.#transport.act('/v1/recipients/{id}/remove', { path: { id }, body: {} }, options);
  }
}
