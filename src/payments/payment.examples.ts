import { examplePayment } from '../http/payment.example.js';
import { type CaptureView } from './capture.view.js';
import { type DisputeView } from './dispute.view.js';
import { type AttemptView, type PaymentView } from './payment.view.js';

/** Examples of the OpenAPI document. A test sends the requests and holds the answers to the schemas. */

export const paymentRequest = {
  reference: 'order-1234',
  amount: 1000,
  currency: 'EUR',
  capture: 'automatic',
  payment_method: {
    type: 'card',
    tokens: { stripe: 'pm_card_visa', adyen: '8415718415172204' },
    customers: { stripe: 'cus_9s6XKzkNRiz8i3', adyen: 'shopper-9' },
    initiator: 'customer',
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

/** The customer chooses the bank on its page. */
export const bankRedirectRequest = {
  reference: 'order-1236',
  amount: 2500,
  currency: 'EUR',
  payment_method: { type: 'bank_redirect', bank_redirect: { name: 'ideal' } },
  return_url: 'https://shop.example/return',
} as const;

export const bankDebitRequest = {
  reference: 'order-1237',
  amount: 2500,
  currency: 'EUR',
  payment_method: {
    type: 'bank_debit',
    bank_debit: { name: 'sepa', mandate: { reference: 'M-1234', signed_on: '2026-11-22' } },
    tokens: { stripe: 'pm_sepaDebit' },
  },
} as const;

/** The second coffee. */
export const meantTwice = {
  ...smallestPaymentRequest,
  customer: { reference: 'cust-9' },
  allow_duplicate: true,
} as const;

export const captured: PaymentView = examplePayment;

export const authorized: PaymentView = {
  ...captured,
  status: 'authorized',
  capture: 'manual',
  amount_captured: 0,
  amount_capturable: 1000,
};

export const canceled: PaymentView = { ...authorized, status: 'canceled', amount_capturable: 0 };

export const dispute: DisputeView = {
  object: 'dispute',
  id: '019aa5c3-1d2e-7f00-8a11-5b6c7d8e9f02',
  test: false,
  payment_id: captured.id,
  psp: 'stripe',
  psp_reference: 'du_3QabcDEF',
  status: 'open',
  reason: 'fraudulent',
  amount: 1000,
  amount_withheld: 1000,
  currency: 'EUR',
  respond_by: '2026-12-01T10:00:00.000Z',
  opened_at: '2026-11-24T10:00:00.000Z',
  closed_at: null,
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

export const redirect: PaymentView = {
  ...processing,
  status: 'requires_action',
  psp: 'adyen',
  psp_reference: 'NC6HT9CRT65ZGN82',
  routes: [{ route: 1, psp: 'adyen', verdict: 'open', outcome: 'requires_action' }],
  next_action: {
    type: 'redirect',
    url: 'https://checkoutshopper.example/3ds?p=1',
    method: 'POST',
    fields: { MD: 'OEVudmZVMUlkWjd0MDNwUWs2bmhSdz09', PaReq: 'eNpVUttygjAQ' },
  },
};

export const library: PaymentView = {
  ...redirect,
  next_action: {
    type: 'psp_sdk',
    psp: 'adyen',
    data: {
      type: 'threeDS2',
      subtype: 'challenge',
      paymentMethodType: 'scheme',
      token: 'eyJ0aHJlZURTTWV0aG9k',
    },
  },
};

export const capture: CaptureView = {
  object: 'capture',
  payment_id: captured.id,
  reference: 'parcel-1',
  status: 'captured',
  amount: 400,
  currency: 'EUR',
  psp: 'adyen',
  psp_reference: 'W2Q8KJ4F7CRT65ZG',
  psp_code: null,
  entity_key: `payment-${captured.id}-capture-parcel-1`,
  created_at: '2026-11-22T10:00:00.000Z',
  decided_at: '2026-11-22T10:00:01.000Z',
};

export const attempt: AttemptView = {
  entity_key: `payment-${examplePayment.id}-charge`,
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
