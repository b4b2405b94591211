import { type OrderView } from '../payments/order.view.js';
import { captured, declined } from '../payments/payment.examples.js';
import { type OrderDetailsView } from './order-details.view.js';

/** Examples of orders for the OpenAPI document. */

const reference = 'order-1234';

export const order: OrderView = {
  object: 'order',
  id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e40',
  reference,
  status: 'paid',
  entity_key: `order-${reference}-collect`,
  currency: 'EUR',
  parts: false,
  amount_due: 1000,
  amount_live: 1000,
  amount_paid: 1000,
  amount_overpaid: 0,
  created_at: '2026-11-21T09:58:00.000Z',
  updated_at: '2026-11-21T10:00:00.412Z',
};

/** The second card went through. */
export const orderDetails: OrderDetailsView = {
  ...order,
  amount_refunded: 0,
  payments: [
    {
      payment: { ...declined, id: '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e41', order: reference },
      amount_live: 0,
      not_counted: 'took_nothing',
    },
    { payment: { ...captured, order: reference }, amount_live: 1000, not_counted: null },
  ],
  orphans: [],
};
