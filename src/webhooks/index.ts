/**
 * webhooks: facts arriving (incoming/: what PSPs tell of their own accord) and facts told (outgoing/:
 * signed events for merchants).
 */
export { DELIVERY_DELAYS_MS, MOST_TRIES } from './outgoing/delivery-schedule.js';
export { type Break, Breaks } from './incoming/breaks.js';
export {
  type IncomingWebhooks,
  incomingWebhooks,
  type IncomingWebhooksDeps,
} from './incoming/incoming-webhooks.js';
export { type Notifications, unknownAccount } from './incoming/notifications.js';
export { type DeliverLimits } from './outgoing/deliver.js';
export { type DeliveryArgs, type LadderWanted } from './outgoing/delivery-jobs.js';
export { type EventType, eventTypes, type EventView } from './outgoing/event-view.js';
export { type TargetPolicy } from './outgoing/target.js';
export { type Resolve } from './outgoing/target-guard.js';
export { type WebhooksOut, webhooksOut, type WebhooksOutOptions } from './outgoing/webhooks-out.js';
export * from './outgoing/webhooks.js';
