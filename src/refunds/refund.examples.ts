import { type RefundView } from './refund.view.js';

/** Examples of refunds for the OpenAPI document. */

const payment = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';

export const refund: RefundView = {
  object: 'refund',
  id: '019aa5c3-1d2e-7f00-8a11-5b6c7d8e9f01',
  test: false,
  payment_id: payment,
  reference: 'parcel-1',
  status: 'succeeded',
  amount: 400,
  currency: 'EUR',
  reason: 'returned',
  psp: 'stripe',
  psp_reference: 're_3QabcDEF',
  entity_key: `payment-${payment}-refund-parcel-1`,
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
