import { type Refund } from './api.js';
import { type ReadOptions } from './options.js';
import { type Transport } from './transport.js';

/** Refunds by their own id; they are asked for with `payments.refund`. */
export class Refunds {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(id: string, options?: ReadOptions): Promise<Refund> {
    return this.#transport.get('/v1/refunds/{id}', { path: { id } }, options);
  }
}
