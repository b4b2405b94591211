import { Type } from 'typebox';
import { eventTypes } from './event-view.js';
import { deliveryStatuses } from './webhooks.js';
import { strictObject, Id, nullable, pageOf, Text, Time } from '../../http/answer-schemas.js';

/** What answers about webhooks and events look like. */

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

export const WebhookEndpoint = strictObject(endpoint, 'An address that events are sent to.');
export const WebhookEndpointWithSecret = strictObject(
  { ...endpoint, secret: Type.String({ description: 'What signatures are checked with. Shown this once.' }) },
  'An address that events are sent to, with its new secret.',
);
export const WebhookEndpointPage = pageOf('WebhookEndpoint');

export const Event = strictObject(
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

export const WebhookDelivery = strictObject(
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
      items: strictObject({
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

export const Replay = strictObject(
  {
    object: { const: 'replay' },
    deliveries: Type.Integer({ minimum: 0, description: 'How many are sent again.' }),
  },
  'What is sent again.',
);

/** For the components of the OpenAPI document. */
export const webhookSchemas = {
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookEndpointPage,
  Event,
  EventPage,
  WebhookDelivery,
  WebhookDeliveryPage,
  Replay,
};
