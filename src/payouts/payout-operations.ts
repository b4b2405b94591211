import { everywhere, type Operation, withBody, withKey } from '../http/operation.js';
import * as example from './payout.examples.js';
import { ListPayoutsDto } from './dto/list-payouts.dto.js';

/** What the OpenAPI document tells of payouts. */
export const payoutOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/payouts',
    operationId: 'createPayout',
    tag: 'Payouts',
    summary: 'Send a payout',
    description:
      'Sends money out, at most once whatever fails. The payouts to a recipient follow one another: name the last one that ended as `previous`, or null for the first. While one has not ended the next is answered 409 `payout_in_progress`; where another one has ended since, 409 `payout_sequence_stale`. Nothing is stored then, and `payout_id` says which payout to read first, and to go back from, by `previous`, to the one that was named: one of them may be the very one. So the same payout asked for twice, under whatever keys, is made once.',
    scope: 'payouts:write',
    movesMoney: true,
    body: {
      schema: 'PayoutRequest',
      required: true,
      examples: { next: example.payoutRequest, first: example.firstPayoutRequest },
    },
    answers: [
      {
        status: 201,
        description: 'The payout has ended: `paid`, or `failed` with nothing paid and `failure` saying why.',
        schema: 'Payout',
        examples: { paid: example.paid, failed: example.payoutFailed },
      },
      {
        status: 202,
        description:
          'The outcome is not known yet. The service goes on by itself; ask again with the same Idempotency-Key, or read the payout.',
        schema: 'Payout',
        examples: { processing: example.payoutProcessing },
      },
    ],
    problems: [
      ...withBody,
      ...withKey,
      ...everywhere,
      'no_route',
      'payout_in_progress',
      'payout_sequence_stale',
    ],
  },
  {
    method: 'get',
    path: '/v1/payouts',
    operationId: 'listPayouts',
    tag: 'Payouts',
    summary: 'List payouts',
    description: 'Newest first. Go on with `next_cursor` while `has_more` is true.',
    scope: 'payments:read',
    or: 'payouts:write',
    query: ListPayoutsDto,
    answers: [
      {
        status: 200,
        description: 'A page.',
        schema: 'PayoutPage',
        examples: { last: { data: [example.paid], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['validation_failed', 'card_number_refused', ...everywhere],
  },
  {
    method: 'get',
    path: '/v1/payouts/{id}',
    operationId: 'getPayout',
    tag: 'Payouts',
    summary: 'Read a payout',
    description: 'As it is now.',
    scope: 'payments:read',
    or: 'payouts:write',
    answers: [
      { status: 200, description: 'The payout.', schema: 'Payout', examples: { paid: example.paid } },
    ],
    problems: ['not_found', ...everywhere],
  },
];
