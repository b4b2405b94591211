import {
  type Asked,
  type EventReplayRequest,
  type PayonceEvent,
  type Replay,
  type WebhookDelivery,
} from './api.js';
import { type List } from './list.js';
import { type ReadOptions } from './options.js';
import { type Transport } from './transport.js';

export type EventFilter = NonNullable<Asked<'get', '/v1/events'>['query']>;

/**
 * What webhooks tell, to be read instead. Every method throws a PayonceError. The document says of `data` that
 * it is an object; `PayonceEvent` says which, by type.
 */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get(id: string, options?: ReadOptions): Promise<PayonceEvent> {
    const event: unknown = await this.#transport.get('/v1/events/{id}', { path: { id } }, options);
    return event as PayonceEvent;
  }

  /** Newest first. `limit` is how many come with a page; all pages are gone through. */
  list(query: EventFilter = {}, options?: ReadOptions): List<PayonceEvent> {
    const list: List<unknown> = this.#transport.list('/v1/events', { query }, options);
    return list as List<PayonceEvent>;
  }

  /** On its way to each endpoint, with its tries. */
  deliveries(id: string, options?: ReadOptions): List<WebhookDelivery> {
    return this.#transport.list('/v1/events/{id}/deliveries', { path: { id } }, options);
  }

  /** Sends it again, to one endpoint or to all that want its type; once, where the answer is lost too. */
  replay(id: string, body: EventReplayRequest = {}, options?: ReadOptions): Promise<Replay> {
    return this.#transport.act('/v1/events/{id}/replay', { path: { id }, body }, { ...options, maxTries: 1 });
  }

  /**
   * The events that came after the one with this id, newest first; all that are kept where there is none.
   * None is missed. Remember the id of the first one once all of them are dealt with.
   */
  async *since(id: string | null, options?: ReadOptions): AsyncGenerator<PayonceEvent, void, undefined> {
    for await (const event of this.list({}, options)) {
      if (event.id === id) return;
      yield event;
    }
  }
}
