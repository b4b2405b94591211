import { refundViewOf } from '../refunds/refund.view.js';
import { firstEntityKey, type PaymentState } from './payment-state.js';
import { viewOf } from './payment.view.js';

/** 201 for what the request made, 200 for what was there. */
export function statusOf({ wanted }: PaymentState): number {
  return wanted.operation === 'first' || (wanted.operation === 'refund' && wanted.isNew) ? 201 : 200;
}

/** The refund that was asked for, or the payment. */
export function bodyOf({ payment, histories, refund }: PaymentState): string {
  return JSON.stringify(
    refund ? refundViewOf(refund) : viewOf(payment, histories.get(firstEntityKey(payment))),
  );
}
