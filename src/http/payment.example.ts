const id = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';

/** A payment as answers and events of the OpenAPI document show it. */
export const examplePayment = {
  object: 'payment',
  id,
  test: false,
  reference: 'order-1234',
  order: null,
  customer: 'cust-9',
  status: 'captured',
  capture: 'automatic',
  amount: 1000,
  amount_capturable: 0,
  amount_captured: 1000,
  amount_refunded: 0,
  amount_disputed: 0,
  currency: 'EUR',
  payment_method: { type: 'card', name: null, brand: 'visa', country: 'DE' },
  return_url: null,
  psp: 'stripe',
  psp_reference: 'pi_3QabcDEF',
  entity_key: `payment-${id}-charge`,
  routes: [
    { route: 1, psp: 'adyen', verdict: 'ruled_out', outcome: 'not_sent' },
    { route: 2, psp: 'stripe', verdict: 'effective', outcome: 'succeeded' },
  ],
  failure: null,
  next_action: null,
  disputes: [],
  metadata: {},
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.412Z',
} as const;
