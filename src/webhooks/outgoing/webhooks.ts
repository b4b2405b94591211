import { type Page } from '../../core/page.js';
import { type Caller } from '../../merchants/caller.js';
import { type DisabledReason } from './delivery-records.js';
import { type EventType, type EventView } from './event-view.js';

/** What a client asks for with POST /v1/webhook_endpoints. */
export interface EndpointAsk {
  readonly url: string;
  /** null: every type. */
  readonly events: readonly EventType[] | null;
  readonly description: string | null;
}

/** The endpoint as the API shows it; field names are the wire's. */
export interface EndpointView {
  readonly object: 'webhook_endpoint';
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[] | null;
  readonly description: string | null;
  readonly status: 'enabled' | 'disabled';
  readonly disabled_reason: DisabledReason | null;
  /** Since when every try has failed; null where the last one did not. */
  readonly failing_since: string | null;
  /** Until when what is sent is signed with the secret before this one too. */
  readonly previous_secret_until: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Shown once: when it is made, and when its secret is rotated. */
export type EndpointWithSecret = EndpointView & { readonly secret: string };

export interface DeliveryAttemptView {
  readonly attempt: number;
  readonly started_at: string;
  readonly http_status: number | null;
  /** null: delivered, or not ended yet (then `latency_ms` is null as well). */
  readonly error_code: string | null;
  readonly latency_ms: number | null;
}

export const deliveryStatuses = ['pending', 'delivered', 'exhausted', 'canceled'] as const;

/** What became of sending an event to an endpoint. */
export interface DeliveryView {
  readonly object: 'webhook_delivery';
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly status: (typeof deliveryStatuses)[number];
  readonly next_attempt_at: string | null;
  /** Newest first, at most 50. */
  readonly attempts: readonly DeliveryAttemptView[];
}

export interface ReplayView {
  readonly object: 'replay';
  /** How many are sent again. What is being sent right now is not among them. */
  readonly deliveries: number;
}

export interface EventFilter {
  readonly type?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** The face of endpoints for merchants. Every refusal is a thrown `Problem`. */
export interface WebhookEndpoints {
  /** Throws `webhook_target_refused`, and `webhook_endpoint_limit` where 16 are enabled. */
  create(caller: Caller, ask: EndpointAsk): Promise<EndpointWithSecret>;
  list(caller: Caller, limit: number, cursor: string | null): Promise<Page<EndpointView>>;
  get(caller: Caller, id: string): Promise<EndpointView>;
  rotateSecret(caller: Caller, id: string): Promise<EndpointWithSecret>;
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
