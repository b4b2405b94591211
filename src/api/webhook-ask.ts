import { Problem } from '../kernel/index.js';
import { type EndpointAsk, type EventFilter } from '../webhooks/index.js';
import { DEFAULT_LIMIT, queryOf } from './ask.js';
import { checkOf, type Check } from './validation.js';
import {
  type EventListParameters,
  EventListQuery,
  type EventReplayBody,
  EventReplayRequest,
  NothingRequest,
  type RangeReplayBody,
  RangeReplayRequest,
  type WebhookEndpointBody,
  WebhookEndpointRequest,
} from './webhook-schemas.js';

/** From what came over the wire to what the webhooks room takes. Each throws Problem `validation_failed`. */

const checkEndpoint: Check<WebhookEndpointBody> = checkOf(WebhookEndpointRequest);
const checkNothing: Check<object> = checkOf(NothingRequest);
const checkEventReplay: Check<EventReplayBody> = checkOf(EventReplayRequest);
const checkRangeReplay: Check<RangeReplayBody> = checkOf(RangeReplayRequest);
const checkList: Check<EventListParameters> = checkOf(EventListQuery);

export function endpointAsk(value: unknown): EndpointAsk {
  checkEndpoint(value);
  return { url: value.url, events: value.events ?? null, description: value.description ?? null };
}

export function nothingAsk(value: unknown = {}): void {
  checkNothing(value);
}

/** The endpoint to send it to; null: to all that want it. */
export function eventReplayAsk(value: unknown = {}): string | null {
  checkEventReplay(value);
  return value.endpoint_id?.toLowerCase() ?? null;
}

export function rangeReplayAsk(value: unknown): { readonly from: Date; readonly to: Date } {
  checkRangeReplay(value);
  const range = { from: new Date(value.from), to: new Date(value.to) };
  if (range.from <= range.to) return range;
  throw new Problem('validation_failed', 'Some of the request does not fit; see errors.', {
    errors: [{ pointer: '/to', message: 'must not be earlier than from' }],
  });
}

export interface EventListAsk {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly cursor: string | null;
}

/** From a parsed query string: every value is a string, or an array where a name came twice. */
export function eventListAsk(query: Readonly<Record<string, unknown>>): EventListAsk {
  const value: unknown = queryOf(query);
  checkList(value);
  const { type, 'created[gte]': from, 'created[lte]': to } = value;
  return {
    filter: {
      ...(type === undefined ? {} : { type }),
      ...(from === undefined ? {} : { createdFrom: new Date(from) }),
      ...(to === undefined ? {} : { createdTo: new Date(to) }),
    },
    limit: value.limit ?? DEFAULT_LIMIT,
    cursor: value.cursor ?? null,
  };
}
