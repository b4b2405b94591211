import { type Change, update } from '../core/change.js';
import { jsonOnce } from '../core/json-text.js';
import { event } from '../database/event.js';
import { type OrphanEffect } from '../request-storage/route.entity.js';
import { type Order } from './order.entity.js';
import { orderAfter, orderEventOf, shareOf } from './order-rules.js';
import { orders } from './order.table.js';
import { orderViewOf } from './order.view.js';
import { type Payment } from './payment.entity.js';
import { type NewId } from './payment-operation.js';

const orderJson = jsonOnce(orderViewOf);

interface MovedOrder {
  readonly order: Order;
  /** Columns of the payment. */
  readonly set: Pick<Payment, 'holdsOrder'>;
  readonly changes: readonly Change[];
}

/** The order of a payment that changes from `was` to `is`, in the commit that changes it. */
export function moveOrder(order: Order, was: Payment, is: Payment, newId: NewId, now: Date): MovedOrder {
  const [before, after] = [shareOf(was), shareOf(is)];
  if (before.live === after.live && before.paid === after.paid) {
    return { order, set: {}, changes: [] };
  }
  const next = orderAfter(order, before, after, now);
  const { merchantId, reference, version, amountLive, amountPaid, amountOverpaid } = next;
  const sums = { version, amountLive, amountPaid, amountOverpaid, updatedAt: now };
  const changes = [
    update(orders, { merchantId, reference }, sums, { version: order.version }),
    ...orderMoved(order, next, newId, now),
  ];
  return { order: next, set: holdOf(order, before.live, after.live), changes };
}

/** A payment that gave all back holds its order no more; one whose refund failed holds it again, if no other does. */
function holdOf(order: Order, was: number, is: number): MovedOrder['set'] {
  if (order.inParts || was > 0 === is > 0) return {};
  if (is === 0) return { holdsOrder: null };
  return order.amountLive === 0 ? { holdsOrder: true } : {};
}

/** The event of an order whose sums change. */
function orderMoved(was: Order, is: Order, newId: NewId, at: Date): readonly Change[] {
  const type = orderEventOf(was, is);
  if (type === null) return [];
  const { merchantId, reference } = is;
  return [event({ merchantId, id: newId(), type, subject: `order:${reference}`, data: orderJson(is), at })];
}

/** The event of an effect at a PSP that its payment had lost: it is given back, and until then is too much. */
export function orderOverpaidEvent(
  order: Order,
  { id: paymentId }: Payment,
  { psp, pspReference, amount, currency }: OrphanEffect,
  id: string,
  at: Date,
): Change {
  const { merchantId, reference } = order;
  const orphan = { payment_id: paymentId, psp, psp_reference: pspReference, amount, currency };
  const data = { ...orderViewOf(order), orphan };
  return event({ merchantId, id, type: 'order.overpaid', subject: `order:${reference}`, data, at });
}
