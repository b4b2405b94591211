import * as example from '../../src/webhooks/outgoing/webhook.examples.js';
import { type Events, type WebhookEndpoints } from '../../src/webhooks/outgoing/webhooks.js';

/** Webhooks that answer as their examples do. */
export const fakeWebhookEndpoints: WebhookEndpoints = {
  create: () => Promise.resolve(example.endpointWithSecret),
  list: () => Promise.resolve({ data: [example.endpoint], has_more: false, next_cursor: null }),
  get: () => Promise.resolve(example.endpoint),
  rotateSecret: () => Promise.resolve(example.endpointWithSecret),
  disable: () => Promise.resolve(example.endpointDisabled),
  enable: () => Promise.resolve(example.endpoint),
  ping: () => Promise.resolve(example.ping),
  replay: () => Promise.resolve(example.replay),
};

export const fakeEvents: Events = {
  list: () => Promise.resolve({ data: [example.event], has_more: false, next_cursor: null }),
  get: () => Promise.resolve(example.event),
  deliveries: () => Promise.resolve({ data: [example.delivery], has_more: false, next_cursor: null }),
  replay: () => Promise.resolve(example.replay),
};
