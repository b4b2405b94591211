import { type DeadLetterCountView, type DeadLetterView } from '../jobs/dead-letter.view.js';

/** Examples of the OpenAPI document. A test sends the requests and holds the answers to the schemas. */

export const deadLetter: DeadLetterView = {
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

export const count: DeadLetterCountView = {
  kind: 'webhook.apply',
  cause: 'exhausted',
  count: 12,
  oldest_died_at: '2026-11-21T08:00:00.000Z',
  oldest_age_seconds: 6_451,
};

export const selections = {
  some: { ids: [deadLetter.id] },
  cause: { kind: 'webhook.apply', cause: 'exhausted' },
  all: { all: true },
} as const;
