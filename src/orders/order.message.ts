import { choiceOf, type Choices, type Message, timestampOf } from '../grpc/message.js';
import { type OrderView } from '../payments/order.view.js';
import { paymentMessage } from '../payments/payment.message.js';
import { type OrderDetailsView } from './order-details.view.js';

export const orderFilterChoices: Choices = { status: 'ORDER_STATUS' };

/** An order as a message of payonce.v1, made from what REST shows. */
export function orderMessage(order: OrderView): Message {
  return {
    ...order,
    status: choiceOf('ORDER_STATUS', order.status),
    created_at: timestampOf(order.created_at),
    updated_at: timestampOf(order.updated_at),
  };
}

export function orderResponse({ payments, orphans, ...order }: OrderDetailsView): Message {
  const details = {
    ...orderMessage(order),
    payments: payments.map(({ payment, amount_live, not_counted }) => ({
      payment: paymentMessage(payment),
      amount_live,
      ...(not_counted === null ? {} : { not_counted: choiceOf('NOT_COUNTED', not_counted) }),
    })),
    orphans: orphans.map((orphan) => ({ ...orphan, status: choiceOf('ORPHAN_STATUS', orphan.status) })),
  };
  return { order: details };
}
