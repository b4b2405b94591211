/**
 * webhooks: facts arriving (incoming/: what PSPs tell of their own accord) and facts told (outgoing/:
 * signed events for merchants).
 */
export { DELIVERY_DELAYS_MS, MOST_TRIES } from './outgoing/delivery-schedule.js';
