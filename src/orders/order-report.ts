import { type EntityManager, In, MoreThan } from 'typeorm';
import { Problem } from '../core/problem.js';
import { Order } from '../payments/order.entity.js';
import { shareOf } from '../payments/order-rules.js';
import { orderViewOf } from '../payments/order.view.js';
import { Payment } from '../payments/payment.entity.js';
import { paymentViewOf } from '../payments/payment.view.js';
import { firstEntityKey } from '../payments/payment-state.js';
import { paymentIdOf } from '../request-storage/entity-key.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { readHistories } from '../request-storage/read-histories.js';
import { OrphanEffect } from '../request-storage/route.entity.js';
import { type OrderDetailsView, type OrderOrphanView, type OrderPaymentView } from './order-details.view.js';

/** An order as operators see it. */
export interface OrderReport {
  readonly order: Order;
  /** The oldest first; the last hundred where there are more. */
  readonly payments: readonly OrderedPayment[];
  /** Those that are dealt with as well. */
  readonly orphans: readonly OrphanEffect[];
  /** The sum over all its payments, in minor units. */
  readonly amountRefunded: number;
}

interface OrderedPayment {
  readonly payment: Payment;
  /** Its charge or authorization. */
  readonly charge: OperationHistory | undefined;
}

const MOST_PAYMENTS = 100;
const MOST_LISTED = 100;

/** An index holds them. */
export const OVERPAID = { amountOverpaid: MoreThan(0) };

/**
 * @param name the merchant's reference of the order
 * @param merchantId whose, where merchants use the same reference; null: anyone's
 * @throws Problem `not_found` for none, `invalid_state` where several merchants have one
 */
export async function findOrder(
  manager: EntityManager,
  name: string,
  merchantId: string | null,
): Promise<OrderReport> {
  const found = await manager
    .createQueryBuilder(Order, 'o')
    .where('o.reference = :name AND o.merchant_id IN (SELECT id FROM merchants)', { name })
    .andWhere(merchantId === null ? 'true' : 'o.merchant_id::text = :merchantId', {
      merchantId: merchantId?.toLowerCase(),
    })
    .limit(2)
    .getMany();
  const [order, other] = found;
  if (!order) throw new Problem('not_found', `No order has the reference ${name}.`);
  if (other) throw new Problem('invalid_state', `Several merchants have an order ${name}; name one.`);
  return reportOf(manager, order);
}

/** The order of a payment; null: it has none. */
export async function orderOfPayment(
  manager: EntityManager,
  { merchantId, orderReference }: Pick<Payment, 'merchantId' | 'orderReference'>,
): Promise<OrderReport | null> {
  if (!orderReference) return null;
  const order = await manager.findOneByOrFail(Order, { merchantId, reference: orderReference });
  return reportOf(manager, order);
}

export async function reportOf(manager: EntityManager, order: Order): Promise<OrderReport> {
  const { merchantId, reference } = order;
  const ofOrder = { merchantId, orderReference: reference };
  const payments = await manager.find(Payment, {
    where: ofOrder,
    order: { id: 'DESC' },
    take: MOST_PAYMENTS,
  });
  const where = { merchantId, entityKey: In(payments.map(firstEntityKey)) };
  const histories = await readHistories(manager, where);
  const orphans = await manager.find(OrphanEffect, {
    where,
    order: { foundAt: 'ASC', entityKey: 'ASC', route: 'ASC', object: 'ASC' },
    take: MOST_PAYMENTS,
  });
  return {
    order,
    amountRefunded: (await manager.sum(Payment, 'amountRefunded', ofOrder)) ?? 0,
    payments: payments
      .toReversed()
      .map((payment) => ({ payment, charge: histories.get(firstEntityKey(payment)) })),
    orphans,
  };
}

/** The order as the API shows it. */
export function detailsOf({ order, payments, orphans, amountRefunded }: OrderReport): OrderDetailsView {
  return {
    ...orderViewOf(order),
    amount_refunded: amountRefunded,
    payments: payments.map(({ payment, charge }): OrderPaymentView => {
      const { live } = shareOf(payment);
      return {
        payment: paymentViewOf(payment, charge),
        amount_live: live,
        not_counted: live > 0 ? null : payment.amountRefunded > 0 ? 'given_back' : 'took_nothing',
      };
    }),
    orphans: orphans.map(({ entityKey, psp, pspReference, amount, status }): OrderOrphanView => ({
      payment_id: paymentIdOf(entityKey),
      psp,
      psp_reference: pspReference,
      amount,
      status,
    })),
  };
}

/** The newest of a merchant. */
export function listOrders(
  manager: EntityManager,
  { merchant, overpaid }: { readonly merchant: string; readonly overpaid?: true },
): Promise<Order[]> {
  return manager.find(Order, {
    where: { merchantId: merchant, ...(overpaid ? OVERPAID : {}) },
    order: { id: 'DESC' },
    take: MOST_LISTED,
  });
}
