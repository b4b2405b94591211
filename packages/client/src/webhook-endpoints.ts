import {
  type Asked,
  type PayonceEvent,
  type RangeReplayRequest,
  type Replay,
  type WebhookEndpoint,
  type WebhookEndpointRequest,
  type WebhookEndpointWithSecret,
} from './api.js';
import { type List } from './list.js';
import { type ReadOptions } from './options.js';
import { type Transport } from './transport.js';

export type EndpointPaging = NonNullable<Asked<'get', '/v1/webhook_endpoints'>['query']>;

/**
 * Where events are sent. No key is taken: what would be done twice (`create`, `rotateSecret`, `ping`, `replay`) is sent once,
 * and where its answer is lost the list says whether it was done. Every method throws a PayonceError.
 */
export class WebhookEndpoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** `secret` is in this answer only; `verifyWebhook` takes it. */
  create(body: WebhookEndpointRequest, options?: ReadOptions): Promise<WebhookEndpointWithSecret> {
    return this.#transport.act('/v1/webhook_endpoints', { body }, once(options));
  }

  get(id: string, options?: ReadOptions): Promise<WebhookEndpoint> {
    return this.#transport.get('/v1/webhook_endpoints/{id}', { path: { id } }, options);
  }

  /** Newest first, disabled ones too. `limit` is how many come with a page; all pages are gone through. */
  list(query: EndpointPaging = {}, options?: ReadOptions): List<WebhookEndpoint> {
    return this.#transport.list('/v1/webhook_endpoints', { query }, options);
  }

  /** Events are signed with both secrets for 24 hours. */
  rotateSecret(id: string, options?: ReadOptions): Promise<WebhookEndpointWithSecret> {
    const asked = { path: { id }, body: {} };
    return this.#transport.act('/v1/webhook_endpoints/{id}/rotate_secret', asked, once(options));
  }

  enable(id: string, options?: ReadOptions): Promise<WebhookEndpoint> {
    return this.#transport.act('/v1/webhook_endpoints/{id}/enable', { path: { id }, body: {} }, options);
  }

  /** Waiting deliveries are canceled; they can be replayed. */
  disable(id: string, options?: ReadOptions): Promise<WebhookEndpoint> {
    return this.#transport.act('/v1/webhook_endpoints/{id}/disable', { path: { id }, body: {} }, options);
  }

  /** Sends an event of the type `ping` to this endpoint alone. */
  async ping(id: string, options?: ReadOptions): Promise<PayonceEvent> {
    const asked = { path: { id }, body: {} };
    const event: unknown = await this.#transport.act('/v1/webhook_endpoints/{id}/ping', asked, once(options));
    return event as PayonceEvent;
  }

  /** Sends the events of a period again, at most 10,000, of the types that the endpoint wants. */
  replay(id: string, body: RangeReplayRequest, options?: ReadOptions): Promise<Replay> {
    return this.#transport.act('/v1/webhook_endpoints/{id}/replay', { path: { id }, body }, once(options));
  }
}

function once(options?: ReadOptions): ReadOptions {
  return { ...options, maxTries: 1 };
}
