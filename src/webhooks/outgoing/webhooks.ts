import { type Page } from '../../core/page.js';
import { type Caller } from '../../merchants/caller.js';
import { type EventType, type EventView } from './event.view.js';
import {
  type DeliveryView,
  type EndpointView,
  type EndpointWithSecretView,
  type ReplayView,
} from './webhook.view.js';

/** What a client asks for with POST /v1/webhook_endpoints. */
export interface NewEndpoint {
  readonly url: string;
  /** null: every type. */
  readonly events: readonly EventType[] | null;
  readonly description: string | null;
}

export interface EventFilter {
  readonly type?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** The face of endpoints for merchants. Every refusal is a thrown `Problem`. */
export interface WebhookEndpoints {
  /** Throws `webhook_target_refused`, and `webhook_endpoint_limit` where 16 are enabled. */
  create(caller: Caller, ask: NewEndpoint): Promise<EndpointWithSecretView>;
  list(caller: Caller, limit: number, cursor: string | null): Promise<Page<EndpointView>>;
  get(caller: Caller, id: string): Promise<EndpointView>;
  rotateSecret(caller: Caller, id: string): Promise<EndpointWithSecretView>;
  /** What is pending is canceled; it can be replayed. May be repeated. */
  disable(caller: Caller, id: string): Promise<EndpointView>;
  enable(caller: Caller, id: string): Promise<EndpointView>;
  /** Sends an event of the type `ping` to this endpoint alone. */
  ping(caller: Caller, id: string): Promise<EventView>;
  /** Sends the events of a time again that the endpoint wants; at most 10,000, or `replay_too_large`. */
  replay(caller: Caller, id: string, from: Date, to: Date): Promise<ReplayView>;
}

/** The face of events for merchants. Every refusal is a thrown `Problem`. */
export interface Events {
  list(caller: Caller, filter: EventFilter, limit: number, cursor: string | null): Promise<Page<EventView>>;
  get(caller: Caller, id: string): Promise<EventView>;
  deliveries(caller: Caller, id: string): Promise<Page<DeliveryView>>;
  /** Sends it again: to one endpoint, or (null) to all that want its type. */
  replay(caller: Caller, id: string, endpointId: string | null): Promise<ReplayView>;
}

export const WEBHOOK_ENDPOINTS = Symbol('webhook endpoints');
export const EVENTS = Symbol('events');
