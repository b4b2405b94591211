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
