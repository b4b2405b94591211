/** `@payonce/client`: see README.md. */
export { PayonceClient } from './payonce-client.js';
export { type DisputeFilter, type PaymentFilter, type Payments, type RefundPaging } from './payments.js';
export { type OrderFilter, type OrderOutcome, type Orders, type PayOrderOptions } from './orders.js';
export { type PayoutFilter, type Payouts } from './payouts.js';
export { type RecipientFilter, type Recipients } from './recipients.js';
export { type RefundFilter, type Refunds } from './refunds.js';
export { type EndpointPaging, type WebhookEndpoints } from './webhook-endpoints.js';
export { type EventFilter, type Events } from './events.js';
export { type List } from './list.js';
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from './webhooks.js';
export { type NotSettled, type Settled, type Settlement, type Written } from './transport.js';
export {
  type ClientOptions,
  type Fetch,
  type FetchInit,
  type FetchResponse,
  type Patience,
  type ReadOptions,
  type WriteOptions,
} from './options.js';
export { type Backoff } from './backoff.js';
export { type Clock } from './clock.js';
export {
  AbortedError,
  ApiError,
  type CallFacts,
  ConnectionError,
  DeadlineError,
  PayonceError,
  UnexpectedAnswerError,
} from './errors.js';
export {
  type Attempt,
  type CancelRequest,
  type Capture,
  type CaptureRequest,
  type CompleteRequest,
  type Dispute,
  type EventReplayRequest,
  type EventType,
  type Order,
  type OrderDetails,
  type Page,
  type PayonceEvent,
  type Payment,
  type PaymentOrder,
  type PaymentRequest,
  type Payout,
  type PayoutRequest,
  type Problem,
  type ProblemCode,
  type RangeReplayRequest,
  type Recipient,
  type RecipientRequest,
  type Refund,
  type RefundRequest,
  type Replay,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEndpointRequest,
  type WebhookEndpointWithSecret,
} from './api.js';
export { type components, type operations, type paths } from './api-types.js';
