import * as example from './refund.examples.js';
import { everywhere, type Operation, withBody, withKey } from '../http/operation.js';
import { PageDto } from '../http/page.dto.js';

/** What the OpenAPI document tells of refunds. */
export const refundOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/payments/{id}/refunds',
    operationId: 'refundPayment',
    tag: 'Refunds',
    summary: 'Refund a payment',
    description:
      'Gives back what was captured, at the PSP that took it. Without `reference` there is one refund of a payment: a second request for it, under any Idempotency-Key, is answered with the first (200, same id), or 409 `refund_exists` where the amount differs. With `reference` there are several, each once. A refund that failed after the PSP had done it has used its name up: 409 `refund_reversed`, and a new one takes a `reference`. More than was captured is never given back: what is on its way counts.',
    scope: 'payments:write',
    movesMoney: true,
    body: {
      schema: 'RefundRequest',
      required: false,
      examples: { all: {}, part: { amount: 400, reference: 'parcel-1', reason: 'returned' } },
    },
    answers: [
      {
        status: 201,
        description: 'This request made it, and it is at rest: `succeeded` or `failed`.',
        schema: 'Refund',
        examples: { succeeded: example.refund, failed: example.refundFailed },
      },
      {
        status: 200,
        description: 'It was there already, and is at rest.',
        schema: 'Refund',
        examples: { succeeded: example.refund },
      },
      {
        status: 202,
        description:
          'It is not known yet what the PSP did. The service goes on by itself; ask again, or read the refund.',
        schema: 'Refund',
        examples: { pending: example.refundPending },
      },
    ],
    problems: [
      'not_found',
      'invalid_state',
      'amount_exceeds_refundable',
      'refund_exists',
      'refund_reversed',
      'too_many_operations',
      'payment_disputed',
      'psp_account_changed',
      ...withBody,
      ...withKey,
      ...everywhere,
    ],
  },
  {
    method: 'get',
    path: '/v1/payments/{id}/refunds',
    operationId: 'listRefunds',
    tag: 'Refunds',
    summary: 'List the refunds of a payment',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    scope: 'payments:read',
    query: PageDto,
    answers: [
      {
        status: 200,
        description: 'A page.',
        schema: 'RefundPage',
        examples: { last: { data: [example.refund], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['not_found', 'validation_failed', 'card_number_refused', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/refunds/{id}',
    operationId: 'getRefund',
    tag: 'Refunds',
    summary: 'Read a refund',
    description: 'As it is now.',
    scope: 'payments:read',
    answers: [
      {
        status: 200,
        description: 'The refund.',
        schema: 'Refund',
        examples: { succeeded: example.refund },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
];
