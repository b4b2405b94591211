import * as example from '../../src/events/webhook.examples.js';
import { type EventsService } from '../../src/events/events.service.js';
import { type WebhookEndpointsService } from '../../src/events/webhook-endpoints.service.js';

/** Webhooks that answer as their examples do. */
export const fakeWebhookEndpoints: Pick<WebhookEndpointsService, keyof WebhookEndpointsService> = {
  create: () => Promise.resolve(example.endpointWithSecret),
  list: () => Promise.resolve({ data: [example.endpoint], has_more: false, next_cursor: null }),
  get: () => Promise.resolve(example.endpoint),
  rotateSecret: () => Promise.resolve(example.endpointWithSecret),
  disable: () => Promise.resolve(example.endpointDisabled),
  enable: () => Promise.resolve(example.endpoint),
  ping: () => Promise.resolve(example.ping),
  replay: () => Promise.resolve(example.replay),
};

export const fakeEvents: Pick<EventsService, keyof EventsService> = {
  list: () => Promise.resolve({ data: [example.event], has_more: false, next_cursor: null }),
  get: () => Promise.resolve(example.event),
  deliveries: () => Promise.resolve({ data: [example.delivery], has_more: false, next_cursor: null }),
  replay: () => Promise.resolve(example.replay),
};
