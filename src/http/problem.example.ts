import { Problem, type ProblemCode } from '../core/problem.js';

const details: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'Some of the request does not fit; see errors.',
  card_number_refused: 'The body holds a card number. It was not stored or logged.',
  unauthorized: 'Send a valid API key as "Authorization: Bearer <key>".',
  forbidden: 'This needs an API key with the scope payments:write.',
  not_found: 'No object has this id.',
  idempotency_key_missing: 'Send a new Idempotency-Key with every new request.',
  webhook_target_refused: 'Events are not sent to such an address; see errors.',
  request_in_progress: 'The first request with this key is still running.',
};

const fields: Partial<Record<ProblemCode, { pointer: string; message: string }[]>> = {
  validation_failed: [{ pointer: '/amount', message: 'must be an integer from 1 to 9007199254740991' }],
  webhook_target_refused: [{ pointer: '/url', message: 'must lead to public addresses only' }],
  card_number_refused: [{ pointer: '/metadata/note', message: 'holds what looks like a card number' }],
};

const members: Partial<Record<ProblemCode, Record<string, string>>> = {
  idempotency_key_reused: { payment_id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42' },
  probable_duplicate: { payment_id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42' },
  payout_in_progress: { payout_id: '019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83' },
  payout_sequence_stale: { payout_id: '019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83' },
  payout_limit_exceeded: { limit: 'recipient_amount' },
};

export function problemExample(code: ProblemCode): object {
  const errors = fields[code];
  const problem = new Problem(code, details[code] ?? 'A sentence about this occurrence.', {
    ...(errors ? { errors } : {}),
    ...(members[code] ? { members: members[code] } : {}),
  });
  return { ...problem.document(), request_id: '019aa5c0-8a4b-7d10-8f00-5b1c7a9e0d11' };
}
