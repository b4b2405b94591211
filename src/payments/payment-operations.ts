import * as example from './payment.examples.js';
import { everywhere, type Operation, withBody, withKey } from '../http/operation.js';
import { ListPaymentsDto } from './dto/list-payments.dto.js';

const story = {
  atRest:
    'The payment has come to rest. A decline is at rest too: `status` is `failed` and `failure` says why.',
  underWay:
    'The outcome is not known yet. The service goes on by itself; ask again with the same Idempotency-Key, or read the payment.',
};

/** What the OpenAPI document tells of payments. */
export const paymentOperations: readonly Operation[] = [
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
        examples: { processing: example.processing, redirect: example.redirect, library: example.library },
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
    query: ListPaymentsDto,
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
      'too_many_operations',
      'psp_account_changed',
      ...withBody,
      ...withKey,
      ...everywhere,
    ],
  },
  {
    method: 'post',
    path: '/v1/payments/{id}/complete',
    operationId: 'completePayment',
    tag: 'Payments',
    summary: 'Complete a payment after its customer acted',
    description:
      'For a payment with status `requires_action`, once the customer has come back: hands the details in at its PSP, or asks the PSP where it knows by itself. At Adyen the issuer is not asked before this call. A payment that is at rest is answered as it stands. Another action may follow (a challenge after a fingerprint): complete it with its own details under a new Idempotency-Key.',
    scope: 'payments:write',
    movesMoney: true,
    body: {
      schema: 'CompleteRequest',
      required: true,
      examples: { redirect: { details: { redirectResult: 'X6XtfGC3!Y' } } },
    },
    answers: [
      {
        status: 200,
        description: story.atRest,
        schema: 'Payment',
        examples: { captured: example.captured, declined: example.declined },
      },
      {
        status: 202,
        description: 'The outcome is not known yet, or the customer has to act once more.',
        schema: 'Payment',
        examples: { processing: example.processing, library: example.library },
      },
    ],
    problems: ['not_found', 'invalid_state', 'details_refused', ...withBody, ...withKey, ...everywhere],
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
    problems: [
      'not_found',
      'invalid_state',
      'too_many_operations',
      'psp_account_changed',
      ...withBody,
      ...withKey,
      ...everywhere,
    ],
  },
];
