import { examplePayment } from '../http/payment.example.js';
import { type EventView } from './event.view.js';
import {
  type DeliveryView,
  type EndpointView,
  type EndpointWithSecretView,
  type ReplayView,
} from './webhook.view.js';

/** Examples of the OpenAPI document. A test sends the requests and holds the answers to the schemas. */

export const endpointRequest = { url: 'https://shop.example/payonce' } as const;

export const narrowEndpointRequest = {
  url: 'https://shop.example/payonce',
  events: ['payment.captured', 'refund.succeeded'],
  description: 'order service',
} as const;

export const endpoint: EndpointView = {
  object: 'webhook_endpoint',
  id: '019aa5c1-77f0-7b33-9b0e-64a2d18c5e10',
  test: false,
  url: 'https://shop.example/payonce',
  events: null,
  description: null,
  status: 'enabled',
  disabled_reason: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: '2026-11-21T09:00:00.000Z',
  updated_at: '2026-11-21T09:00:00.000Z',
};

export const endpointDisabled: EndpointView = { ...endpoint, status: 'disabled', disabled_reason: 'asked' };

export const endpointWithSecret: EndpointWithSecretView = {
  ...endpoint,
  secret: 'whsec_<32 bytes in base64>',
};

export const event: EventView = {
  object: 'event',
  id: '019aa5c0-8be0-7a41-8d2c-7e6f1b0c9a55',
  test: false,
  type: 'payment.captured',
  timestamp: '2026-11-21T10:00:00.412Z',
  data: examplePayment,
};

export const ping: EventView = { ...event, type: 'ping', data: { ...endpoint } };

export const delivery: DeliveryView = {
  object: 'webhook_delivery',
  event_id: event.id,
  endpoint_id: endpoint.id,
  status: 'delivered',
  next_attempt_at: null,
  attempts: [
    {
      attempt: 2,
      started_at: '2026-11-21T10:00:05.702Z',
      http_status: 204,
      error_code: null,
      latency_ms: 38,
    },
    {
      attempt: 1,
      started_at: '2026-11-21T10:00:00.431Z',
      http_status: 502,
      error_code: 'http_error',
      latency_ms: 112,
    },
  ],
};

export const rangeReplayRequest = { from: '2026-11-21T00:00:00Z', to: '2026-11-21T12:00:00Z' } as const;

export const eventReplayRequest = { endpoint_id: endpoint.id } as const;

export const replay: ReplayView = { object: 'replay', deliveries: 1 };
