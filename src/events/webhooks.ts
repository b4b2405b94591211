import { type EventType } from '../core/event-types.js';

/** A client's POST /v1/webhook_endpoints. */
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
