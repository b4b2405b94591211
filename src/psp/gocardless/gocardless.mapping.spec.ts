import { type Instruction } from '../contract.js';
import {
  answerOf,
  causeIn,
  isOfRoute,
  paymentAnswer,
  paymentRequest,
  refundAnswer,
  refundRequest,
} from './gocardless.mapping.js';

/** Bodies as GoCardless's reference shows them (developer.gocardless.com/api-reference). */
const payment = {
  id: 'PM123',
  created_at: '2014-05-08T17:01:06.000Z',
  charge_date: '2014-05-21',
  amount: 1_000,
  description: null,
  currency: 'GBP',
  status: 'pending_submission',
  reference: 'WINEBOX001',
  metadata: { order_dispatch_date: '2014-05-22' },
  amount_refunded: 0,
  links: { mandate: 'MD123', creditor: 'CR123' },
};
const refund = {
  id: 'RF123',
  created_at: '2014-05-08T17:01:06.000Z',
  amount: 100,
  currency: 'EUR',
  reference: 'Nude Wines refund',
  metadata: { reason: 'late failure' },
  links: { payment: 'PM123', mandate: 'MD123' },
};
const conflict = {
  error: {
    message: 'A resource has already been created with this idempotency key',
    errors: [
      {
        reason: 'idempotent_creation_conflict',
        message: 'A resource has already been created with this idempotency key',
        links: { conflicting_resource_id: 'PM123' },
      },
    ],
    type: 'invalid_state',
    code: 409,
  },
};
const invalid = (code: number, reason: string) => ({
  error: { message: reason, errors: [{ reason, message: reason }], type: 'validation_failed', code },
});

const instruction = (more: Partial<Instruction> = {}): Instruction => ({
  operation: 'charge',
  entityKey: 'payment-1-charge',
  route: 1,
  idempotencyKey: 'key-1',
  money: { amount: 1_000, currency: 'GBP' },
  token: 'MD123',
  reference: 'order-1',
  ...more,
});
const bodyOf = ({ body = '{}' }: { readonly body?: string }) =>
  JSON.parse(body) as Record<string, Record<string, unknown>>;

it.each([
  ['pending_customer_approval', 'pending'],
  ['pending_submission', 'pending'],
  ['submitted', 'pending'],
  ['confirmed', 'succeeded'],
  ['paid_out', 'succeeded'],
  ['charged_back', 'succeeded'],
  ['cancelled', 'canceled'],
  ['customer_approval_denied', 'declined'],
  ['failed', 'declined'],
  ['toString', 'unknown'],
] as const)('a payment that is %s: %s', (status, outcome) => {
  const answer = paymentAnswer({ ...payment, status }, 'payment-1-charge');
  expect(answer).toMatchObject({ outcome, pspReference: 'PM123' });
  if (outcome === 'succeeded') expect(answer.money).toEqual({ amount: 1_000, currency: 'GBP' });
});

it('a payment that failed, by the cause that its events name', () => {
  const events = {
    events: [{ action: 'submitted' }, { action: 'failed', details: { cause: 'bank_account_closed' } }],
  };
  const answer = paymentAnswer({ ...payment, status: 'failed' }, '', causeIn(events));
  expect(answer).toMatchObject({ decline: 'account_invalid', pspCode: 'bank_account_closed' });
  expect(causeIn({ events: [] })).toBeUndefined();
});

it.each([
  [undefined, 'succeeded'],
  ['submitted', 'succeeded'],
  ['paid', 'succeeded'],
  ['bounced', 'declined'],
  ['funds_returned', 'declined'],
  ['other', 'unknown'],
] as const)('a refund that is %s: %s', (status, outcome) => {
  expect(refundAnswer({ ...refund, status }, 'payment-1-refund')).toMatchObject({
    outcome,
    pspReference: 'RF123',
  });
});

it.each([
  [201, { payments: payment }, { outcome: 'pending', pspReference: 'PM123' }],
  // What the key made before is the success of the first request, of which nothing is said but its id.
  [409, conflict, { outcome: 'pending', pspReference: 'PM123' }],
  [409, invalid(409, 'idempotency_key_in_use'), { outcome: 'unknown' }],
  [409, '<html>', { outcome: 'unknown' }],
  [401, invalid(401, 'access_token_not_found'), { outcome: 'rejected' }],
  [422, invalid(422, 'mandate_is_inactive'), { outcome: 'rejected', pspCode: 'mandate_is_inactive' }],
  [404, '<html>', { outcome: 'unknown' }],
  [429, invalid(429, 'rate_limit_exceeded'), { outcome: 'throttled' }],
  [500, invalid(500, 'internal_error'), { outcome: 'unknown' }],
] as const)('an answer of %i %j', (httpStatus, body, expected) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = answerOf({ httpStatus, text, header: () => undefined }, (json) =>
    paymentAnswer(json['payments'] as typeof payment, 'payment-1-charge'),
  );
  expect(answer).toMatchObject({ ...expected, httpStatus });
});

it('asks for a debit by the same bytes at every resend, with three names of metadata', () => {
  expect(paymentRequest(instruction({ sentAt: [new Date()] }))).toEqual(paymentRequest(instruction()));
  const { payments } = bodyOf(paymentRequest(instruction()));
  expect(payments).toMatchObject({ amount: 1_000, currency: 'GBP', links: { mandate: 'MD123' } });
  expect(Object.keys(payments!['metadata'] as object)).toHaveLength(3);
  expect(isOfRoute(payments!, instruction())).toBe(true);
  expect(isOfRoute(payments!, instruction({ route: 2 }))).toBe(false);
});

it('asks for a refund with the sum of those before it', () => {
  const asked = instruction({
    operation: 'refund',
    money: { amount: 400, currency: 'GBP' },
    parentReference: 'PM123',
  });
  expect(bodyOf(refundRequest(asked, 250))).toMatchObject({
    refunds: { amount: 400, total_amount_confirmation: 650, links: { payment: 'PM123' } },
  });
});
