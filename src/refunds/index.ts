/**
 * refunds: what a refund of a payment is, its lifecycle and how it is read. What moves it is an
 * operation of its payment, so payments drives it.
 */
export { type Refund, RefundEntity, type RefundFailure, refunds } from './refund.entity.js';
export { refundEventOf, type RefundEventType, refundEventTypes } from './refund-events.js';
export { refundLifecycle, type RefundStatus, refundStatuses } from './refund.lifecycle.js';
export { type RefundPage, RefundReader } from './refund.reader.js';
export { refundViewOf, type RefundView } from './refund.view.js';
