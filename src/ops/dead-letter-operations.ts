import { type DeadLetterCountView, type DeadLetterView } from '../jobs/dead-letter.view.js';
import { type ProblemCode } from '../core/problem.js';
import { type Operation, withBody } from '../http/operation.js';
import { ListDeadLettersDto } from './dto/list-dead-letters.dto.js';

/** What the OpenAPI document tells of dead letters, with examples. */

export const deadLetterExample: DeadLetterView = {
  id: '019aa5d1-3c0e-7a51-8d2f-6b0c9e4f7a18',
  kind: 'webhook.apply',
  job_id: 'webhook.apply.stripe.evt_3QabcDEF',
  args: { account: 'stripe', event: 'evt_3QabcDEF' },
  cause: 'exhausted',
  error: 'no operation of ours is known by these names',
  tries: 5,
  first_tried_at: '2026-11-21T02:11:09.500Z',
  died_at: '2026-11-21T09:47:31.020Z',
};

const count: DeadLetterCountView = {
  kind: 'webhook.apply',
  cause: 'exhausted',
  count: 12,
  oldest_died_at: '2026-11-21T08:00:00.000Z',
  oldest_age_seconds: 6_451,
};

const selection = {
  some: { ids: [deadLetterExample.id] },
  cause: { kind: 'webhook.apply', cause: 'exhausted' },
  all: { all: true },
};

const about =
  'For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.';
const everywhere: readonly ProblemCode[] = ['unauthorized', 'overloaded', 'internal_error'];

export const deadLetterOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/ops/api/dead-letters',
    operationId: 'listDeadLetters',
    tag: 'Dead letters',
    summary: 'List dead letters',
    description: `Newest first. Go on with \`next_cursor\` while \`has_more\` is true.\n\n${about}`,
    operator: true,
    query: ListDeadLettersDto,
    answers: [
      {
        status: 200,
        description: 'A page.',
        schema: 'DeadLetterPage',
        examples: { last: { data: [deadLetterExample], has_more: false, next_cursor: null } },
      },
    ],
    problems: ['validation_failed', 'card_number_refused', 'not_found', ...everywhere],
  },
  {
    method: 'get',
    path: '/ops/api/dead-letters/counts',
    operationId: 'countDeadLetters',
    tag: 'Dead letters',
    summary: 'Count dead letters',
    description: `By kind and cause, the largest group first, with the age of its oldest.\n\n${about}`,
    operator: true,
    answers: [
      {
        status: 200,
        description: 'The groups.',
        schema: 'DeadLetterCounts',
        examples: { one: { data: [count] } },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'get',
    path: '/ops/api/dead-letters/{id}',
    operationId: 'getDeadLetter',
    tag: 'Dead letters',
    summary: 'Read a dead letter',
    description: about,
    operator: true,
    answers: [
      {
        status: 200,
        description: 'The letter.',
        schema: 'DeadLetter',
        examples: { exhausted: deadLetterExample },
      },
    ],
    problems: ['not_found', ...everywhere],
  },
  {
    method: 'post',
    path: '/ops/api/dead-letters/merge',
    operationId: 'mergeDeadLetters',
    tag: 'Dead letters',
    summary: 'Send dead letters back',
    description: `Their jobs are tried again from the first level, with their story; the longest dead first, 10,000 at most in one go. Each letter is merged once, by one operator, and audited; 404 where ids are named and none of them is there any more.\n\n${about}`,
    operator: true,
    body: { schema: 'DeadLetterSelection', required: true, examples: selection },
    answers: [
      {
        status: 200,
        description: 'So many were sent back.',
        schema: 'DeadLettersMerged',
        examples: { done: { merged: 12, left: 0 } },
      },
    ],
    problems: [...withBody, 'not_found', ...everywhere],
  },
  {
    method: 'post',
    path: '/ops/api/dead-letters/purge',
    operationId: 'purgeDeadLetters',
    tag: 'Dead letters',
    summary: 'Throw dead letters away',
    description: `For good; else as for merging them.\n\n${about}`,
    operator: true,
    body: { schema: 'DeadLetterSelection', required: true, examples: selection },
    answers: [
      {
        status: 200,
        description: 'So many were thrown away.',
        schema: 'DeadLettersPurged',
        examples: { done: { purged: 12, left: 0 } },
      },
    ],
    problems: [...withBody, 'not_found', ...everywhere],
  },
];
