import { type Table, tableOf } from '../core/table.js';
import { type Payment, type PaymentTransition } from './payment.entity.js';

/** Captures never exceed the authorized amount, refunds never the captured amount. */
const balance = {
  name: 'payments_balance',
  holds: (row: Readonly<Record<string, unknown>>) => {
    const { amount, amountCaptured, amountRefunded, captureReserved, refundReserved } =
      row as unknown as Payment;
    return (
      captureReserved >= 0 &&
      amountCaptured + captureReserved <= amount &&
      refundReserved >= 0 &&
      amountRefunded + refundReserved <= amountCaptured
    );
  },
};

export const payments: Table<Payment> = tableOf('payments', ['merchantId', 'id'], {
  defaults: { customerHash: null, customerEmailHash: null, disputes: null, isTest: null },
  checks: [balance],
});
export const paymentTransitions: Table<PaymentTransition> = tableOf('payment_transitions', [
  'merchantId',
  'paymentId',
  'version',
]);
