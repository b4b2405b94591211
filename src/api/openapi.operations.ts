import * as example from './openapi.examples.js';
import { everywhere, type Operation, withBody, withKey } from './openapi.operation.js';
import { deadLetterOperations } from './ops/dead-letter-operations.js';
import { refundOperations } from './openapi.refunds.js';
import { payoutOperations } from './payout-operations.js';
import { PaymentListQuery } from './request-schemas.js';
import { notificationOperations } from './notification-operations.js';
import { webhookOperations } from './webhook-operations.js';

const story = {
  atRest:
    'The payment has come to rest. A decline is at rest too: `status` is `failed` and `failure` says why.',
  underWay:
    'The outcome is not known yet. The service goes on by itself; ask again with the same Idempotency-Key, or read the payment.',
};

/** The operations of version 1, as the OpenAPI document tells them. */
export const operations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/payments',
    operationId: 'createPayment',
    tag: 'Payments',
    summary: 'Create a payment',
    description:
      'Charges, or with `capture: manual` authorizes. Whatever fails on the way, the customer is charged at most once: send the request again with the same Idempotency-Key until it answers 201. A merchant may have a window set in which a payment of the same customer, amount, currency and reference under another key is taken for a mistake: it is answered 409 `probable_duplicate`, `payment_id` says which payment there is, and nothing is stored; where it is meant, send it with `allow_duplicate: true`.',
    scope: 'payments:write',
    movesMoney: true,
    body: {
      schema: 'PaymentRequest',
      required: true,
      examples: {
        everything: example.paymentRequest,
        smallest: example.smallestPaymentRequest,
        again: example.meantTwice,
      },
    },
    answers: [
      {
        status: 201,
        description: story.atRest,
        schema: 'Payment',
        examples: { captured: example.captured, declined: example.declined, authorized: example.authorized },
      },
      {
        status: 202,
        description: story.underWay,
        schema: 'Payment',
        examples: { processing: example.processing },
      },
    ],
    problems: [...withBody, ...withKey, ...everywhere, 'no_route', 'probable_duplicate'],
  },
  {
    method: 'get',
    path: '/v1/payments',
    operationId: 'listPayments',
    tag: 'Payments',
    summary: 'List payments',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    scope: 'payments:read',
    query: PaymentListQuery,
    answers: [
      {
        status: 200,
        description: 'A page.',
        schema: 'PaymentPage',
        examples: { last: { data: [example.captured], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['validation_failed', 'card_number_refused', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/payments/{id}',
    operationId: 'getPayment',
    tag: 'Payments',
    summary: 'Read a payment',
    description: 'As it is now.',
    scope: 'payments:read',
    answers: [
      {
        status: 200,
        description: 'The payment.',
        schema: 'Payment',
        examples: { captured: example.captured },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/payments/{id}/attempts',
    operationId: 'listAttempts',
    tag: 'Payments',
    summary: 'Read its story',
    description:
      'Every route that was tried and every call that was made to a PSP for it, with what came back.',
    scope: 'payments:read',
    answers: [
      {
        status: 200,
        description: 'All of them.',
        schema: 'AttemptPage',
        examples: { one: { data: [example.attempt], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'post',
    path: '/v1/payments/{id}/capture',
    operationId: 'capturePayment',
    tag: 'Payments',
    summary: 'Capture an authorized payment',
    description:
      'All of it, or with `amount` a part, which ends it: the rest is released. With `reference` it is one of several captures, each done once, where the PSP can do that.',
    scope: 'payments:write',
    movesMoney: true,
    body: {
      schema: 'CaptureRequest',
      required: false,
      examples: { part: { amount: 400 }, parcel: { amount: 400, reference: 'parcel-1' }, all: {} },
    },
    answers: [
      { status: 200, description: story.atRest, schema: 'Payment', examples: { captured: example.captured } },
      {
        status: 202,
        description: story.underWay,
        schema: 'Payment',
        examples: { processing: example.processing },
      },
    ],
    problems: [
      'not_found',
      'invalid_state',
      'amount_exceeds_authorized',
      ...withBody,
      ...withKey,
      ...everywhere,
    ],
  },
  {
    method: 'post',
    path: '/v1/payments/{id}/cancel',
    operationId: 'cancelPayment',
    tag: 'Payments',
    summary: 'Cancel an authorized payment',
    description:
      'Voids the authorization, or what is left of it after captures, so that the customer has the money back at once.',
    scope: 'payments:write',
    movesMoney: true,
    body: { schema: 'CancelRequest', required: false, examples: { nothing: {} } },
    answers: [
      { status: 200, description: story.atRest, schema: 'Payment', examples: { canceled: example.canceled } },
      {
        status: 202,
        description: story.underWay,
        schema: 'Payment',
        examples: { processing: example.processing },
      },
    ],
    problems: ['not_found', 'invalid_state', ...withBody, ...withKey, ...everywhere],
  },
  ...refundOperations,
  ...payoutOperations,
  ...webhookOperations,
  ...notificationOperations,
  ...deadLetterOperations,
  {
    method: 'get',
    path: '/health/live',
    operationId: 'live',
    tag: 'Operations',
    summary: 'Is the process alive?',
    description: 'Says nothing of databases: a restart would not mend them.',
    answers: [
      {
        status: 200,
        description: 'It is.',
        schema: 'Live',
        examples: { live: { status: 'live', version: '0.1.0' } },
      },
    ],
    problems: [],
  },
  {
    method: 'get',
    path: '/health/ready',
    operationId: 'ready',
    tag: 'Operations',
    summary: 'May requests be sent here?',
    description: 'No as soon as the process is asked to stop.',
    answers: [
      {
        status: 200,
        description: 'Yes.',
        schema: 'Ready',
        examples: { ready: { status: 'ready', checks: { database: 'up' } } },
      },
      {
        status: 503,
        description: 'No.',
        schema: 'Ready',
        examples: {
          down: { status: 'not_ready', checks: { database: 'down' } },
          draining: { status: 'draining', checks: {} },
        },
      },
    ],
    problems: [],
  },
  {
    method: 'get',
    path: '/metrics',
    operationId: 'metrics',
    tag: 'Operations',
    summary: 'Metrics',
    description: "In Prometheus' text format.",
    answers: [{ status: 200, description: 'All metrics.', schema: null, examples: {} }],
    problems: [],
  },
];
