import { type Table, tableOf } from '../core/table.js';
import { type Payment, type PaymentTransition } from './payment.entity.js';

export const payments: Table<Payment> = tableOf('payments', ['merchantId', 'id'], {
  defaults: {
    customerReference: null,
    customerHash: null,
    customerEmailHash: null,
    method: null,
    orderReference: null,
    holdsOrder: null,
    disputes: null,
    isTest: null,
  },
});
export const paymentTransitions: Table<PaymentTransition> = tableOf('payment_transitions', [
  'merchantId',
  'paymentId',
  'version',
]);
