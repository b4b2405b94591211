import { Problem, type ProblemCode } from '../kernel/index.js';
import { type AttemptView, type PaymentView } from '../payments/index.js';
import { type RefundView } from '../refunds/index.js';

/** Examples of the OpenAPI document. A test sends the requests and holds the answers to the schemas. */

const id = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';

export const paymentRequest = {
  reference: 'order-1234',
  amount: 1000,
  currency: 'EUR',
  capture: 'automatic',
  payment_method: {
    type: 'card',
    tokens: { stripe: 'pm_card_visa', adyen: '8415718415172204' },
    card: { brand: 'visa', country: 'DE' },
  },
  customer: { reference: 'cust-9', email: 'a@example.com' },
  return_url: 'https://shop.example/return',
  statement_descriptor: 'SHOP',
  metadata: {},
} as const;

export const smallestPaymentRequest = {
  reference: 'order-1235',
  amount: 1200,
  currency: 'JPY',
  payment_method: { type: 'card', tokens: { stripe: 'pm_card_visa' } },
} as const;

/** The second coffee. */
export const meantTwice = {
  ...smallestPaymentRequest,
  customer: { reference: 'cust-9' },
  allow_duplicate: true,
} as const;

export const captured: PaymentView = {
  object: 'payment',
  id,
  reference: 'order-1234',
  status: 'captured',
  amount: 1000,
  amount_captured: 1000,
  amount_refunded: 0,
  currency: 'EUR',
  psp: 'stripe',
  psp_reference: 'pi_3QabcDEF',
  entity_key: `payment-${id}-charge`,
  routes: [
    { route: 1, psp: 'adyen', verdict: 'ruled_out', outcome: 'not_sent' },
    { route: 2, psp: 'stripe', verdict: 'effective', outcome: 'succeeded' },
  ],
  failure: null,
  next_action: null,
  metadata: {},
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.412Z',
};

export const authorized: PaymentView = { ...captured, status: 'authorized', amount_captured: 0 };

export const canceled: PaymentView = { ...authorized, status: 'canceled' };

export const refund: RefundView = {
  object: 'refund',
  id: '019aa5c3-1d2e-7f00-8a11-5b6c7d8e9f01',
  payment_id: id,
  reference: 'parcel-1',
  status: 'succeeded',
  amount: 400,
  currency: 'EUR',
  reason: 'returned',
  psp: 'stripe',
  psp_reference: 're_3QabcDEF',
  entity_key: `payment-${id}-refund-parcel-1`,
  failure: null,
  metadata: {},
  created_at: '2026-11-21T11:00:00.000Z',
  updated_at: '2026-11-21T11:00:00.301Z',
};

export const refundPending: RefundView = { ...refund, status: 'pending', psp_reference: null };

export const refundFailed: RefundView = {
  ...refundPending,
  status: 'failed',
  failure: {
    category: 'psp_rejected',
    code: 'rejected',
    psp_code: 'charge_disputed',
    message: 'The charge has been charged back.',
  },
};

export const declined: PaymentView = {
  ...captured,
  status: 'failed',
  amount_captured: 0,
  routes: [{ route: 1, psp: 'stripe', verdict: 'ineffective', outcome: 'declined' }],
  failure: {
    category: 'hard',
    code: 'lost_card',
    psp_code: 'lost_card',
    message: 'The issuer declined the payment.',
  },
};

export const processing: PaymentView = {
  ...captured,
  status: 'processing',
  amount_captured: 0,
  psp: null,
  psp_reference: null,
  routes: [{ route: 1, psp: 'stripe', verdict: 'open', outcome: 'unknown' }],
};

export const attempt: AttemptView = {
  entity_key: `payment-${id}-charge`,
  route: 2,
  attempt: 1,
  psp: 'stripe',
  kind: 'execute',
  outcome: 'succeeded',
  psp_code: null,
  http_status: 200,
  latency_ms: 381,
  verdict: 'effective',
  started_at: '2026-11-21T10:00:00.020Z',
  ended_at: '2026-11-21T10:00:00.401Z',
};

const details: Partial<Record<ProblemCode, string>> = {
  validation_failed: 'Some of the request does not fit; see errors.',
  card_number_refused: 'A card number stands in the body. It was not kept or logged.',
  unauthorized: 'Send a valid API key as "Authorization: Bearer <key>".',
  forbidden: 'This needs an API key with the scope payments:write.',
  not_found: 'There is nothing with this id.',
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
  probable_duplicate: { payment_id: id },
  payout_in_progress: { payout_id: '019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83' },
  payout_sequence_stale: { payout_id: '019aa5c0-9c31-7f02-a6d4-0e5d7b1c2f83' },
};

export function problemExample(code: ProblemCode): object {
  const errors = fields[code];
  const problem = new Problem(code, details[code] ?? 'What happened here.', {
    ...(errors ? { errors } : {}),
    ...(members[code] ? { members: members[code] } : {}),
  });
  return { ...problem.document(), request_id: '019aa5c0-8a4b-7d10-8f00-5b1c7a9e0d11' };
}
