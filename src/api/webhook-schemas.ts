import { Type, type Static } from 'typebox';
import { deliveryStatuses, eventTypes } from '../webhooks/index.js';
import { closed, Id, nullable, pageOf, Text, Time } from './answer-schemas.js';
import { PageQuery, PaymentListQuery } from './request-schemas.js';

/** What requests about webhooks and events and their answers look like. */

export const WebhookEndpointRequest = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      maxLength: 2048,
      description:
        'Where events are sent: https, port 443, 8443 or one from 1024 on, and a name that leads to public addresses only.',
      'x-refusal': 'must be an https URL of at most 2048 characters without user and password',
    }),
    events: Type.Optional(
      Type.Array(Type.Enum([...eventTypes]), {
        minItems: 1,
        uniqueItems: true,
        description: 'The types to send; all, also those that are still to come, where absent.',
      }),
    ),
    description: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: String.raw`^[^\p{Cc}]*$`,
        description: 'For yourself.',
        'x-refusal': 'must be 1 to 255 characters without control characters',
      }),
    ),
  },
  { additionalProperties: false, description: 'An address to send events to.' },
);

export const NothingRequest = Type.Object(
  {},
  { additionalProperties: false, description: 'Nothing to say: an empty object or no body at all.' },
);

export const EventReplayRequest = Type.Object(
  {
    endpoint_id: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        description: 'To this endpoint alone, whatever types it wants; absent: to all that want it.',
        'x-refusal': 'must be the id of a webhook endpoint',
      }),
    ),
  },
  { additionalProperties: false, description: 'Sends the event again.' },
);

const Moment = Type.String({
  format: 'date-time',
  maxLength: 40,
  'x-refusal': 'must be an RFC 3339 time such as 2026-11-21T10:00:00Z',
});

export const RangeReplayRequest = Type.Object(
  {
    from: { ...Moment, description: 'Events from this time on (RFC 3339).' },
    to: { ...Moment, description: 'Events until this time (RFC 3339).' },
  },
  {
    additionalProperties: false,
    description: 'Sends the events of a time again that the endpoint wants; at most 10,000.',
  },
);

const { 'created[gte]': from, 'created[lte]': to } = PaymentListQuery.properties;

export const EventListQuery = Type.Object(
  {
    ...PageQuery.properties,
    type: Type.Optional(Type.Enum([...eventTypes, 'ping'])),
    'created[gte]': from,
    'created[lte]': to,
  },
  { additionalProperties: false },
);

export type WebhookEndpointBody = Static<typeof WebhookEndpointRequest>;
export type EventReplayBody = Static<typeof EventReplayRequest>;
export type RangeReplayBody = Static<typeof RangeReplayRequest>;
export type EventListParameters = Static<typeof EventListQuery>;

const endpoint = {
  object: { const: 'webhook_endpoint' },
  id: Id,
  url: Text,
  events: {
    type: ['array', 'null'],
    items: Text,
    description: 'The types that are sent; null: all.',
  },
  description: nullable(Text),
  status: Type.Enum(['enabled', 'disabled']),
  disabled_reason: {
    enum: ['asked', 'gone', 'failing', null],
    description: '`gone`: it answered 410. `failing`: for five days it took nothing.',
  },
  failing_since: nullable(Time, 'Since when every try has failed; null where the last one did not.'),
  previous_secret_until: nullable(Time, 'Until then the secret before this one is signed with too.'),
  created_at: Time,
  updated_at: Time,
};

export const WebhookEndpoint = closed(endpoint, 'An address that events are sent to.');
export const WebhookEndpointWithSecret = closed(
  { ...endpoint, secret: Type.String({ description: 'What signatures are checked with. Shown this once.' }) },
  'An address that events are sent to, with its new secret.',
);
export const WebhookEndpointPage = pageOf('WebhookEndpoint');

export const Event = closed(
  {
    object: { const: 'event' },
    id: Type.String({ format: 'uuid', description: 'The same on every retry: the header `webhook-id`.' }),
    type: Type.Enum([...eventTypes, 'ping']),
    timestamp: Type.String({ format: 'date-time', description: 'When it became so. RFC 3339, UTC.' }),
    data: {
      type: 'object',
      description: 'The payment, refund or payout as it was shown then; for `ping` the endpoint.',
    },
  },
  'What has become of something.',
);
export const EventPage = pageOf('Event');

export const WebhookDelivery = closed(
  {
    object: { const: 'webhook_delivery' },
    event_id: Id,
    endpoint_id: Id,
    status: Type.Enum([...deliveryStatuses], {
      description:
        '`exhausted`: the last of 16 tries failed. `canceled`: the endpoint was disabled. Both can be replayed.',
    }),
    next_attempt_at: nullable(Time),
    attempts: {
      type: 'array',
      maxItems: 50,
      description: 'Newest first.',
      items: closed({
        attempt: Type.Integer(),
        started_at: Time,
        http_status: nullable(Type.Integer()),
        error_code: nullable(Text, 'Null where it was taken, or has not ended.'),
        latency_ms: nullable(Type.Integer()),
      }),
    },
  },
  'What became of sending an event to an endpoint.',
);
export const WebhookDeliveryPage = pageOf('WebhookDelivery');

export const Replay = closed(
  {
    object: { const: 'replay' },
    deliveries: Type.Integer({ minimum: 0, description: 'How many are sent again.' }),
  },
  'What is sent again.',
);

/** For the components of the OpenAPI document. */
export const webhookSchemas = {
  WebhookEndpointRequest,
  NothingRequest,
  EventReplayRequest,
  RangeReplayRequest,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookEndpointPage,
  Event,
  EventPage,
  WebhookDelivery,
  WebhookDeliveryPage,
  Replay,
};
