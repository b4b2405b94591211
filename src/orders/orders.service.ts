import { Injectable } from '@nestjs/common';
import { type EntityManager, Equal, type FindOptionsWhere, In, MoreThan, Raw } from 'typeorm';
import { type Caller } from '../core/caller.js';
import { type Page, pageOf } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { newestFirst, timeBetween } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { Order } from '../payments/order.entity.js';
import { type OrderStatus, shareOf } from '../payments/order-rules.js';
import { type OrderView, orderViewOf } from '../payments/order.view.js';
import { Payment } from '../payments/payment.entity.js';
import { firstEntityKey } from '../payments/payment-state.js';
import { paymentViewOf } from '../payments/payment.view.js';
import { paymentIdOf } from '../request-storage/entity-key.js';
import { readHistories } from '../request-storage/read-histories.js';
import { OrphanEffect } from '../request-storage/route.entity.js';
import { type OrderDetailsView, type OrderOrphanView, type OrderPaymentView } from './order-details.view.js';
import { type OrderFilter } from './dto/list-orders.dto.js';

/** An order is shown with so many payments; the console lists all. */
const MOST_PAYMENTS = 100;

/** Reads orders. Every refusal is a thrown `Problem`. */
@Injectable()
export class OrdersService {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Throws Problem `not_found` for another merchant's order as for none. */
  async get({ merchantId }: Pick<Caller, 'merchantId'>, reference: string): Promise<OrderDetailsView> {
    const found = await translateOutage(
      this.tenants.within(merchantId, async (tx) => {
        const order = await tx.findOneBy(Order, { merchantId, reference });
        return order && detailsOf(tx, order);
      }),
    );
    if (!found) throw new Problem('not_found', 'No such order.');
    return found;
  }

  /** A page of a merchant's orders, newest first. */
  async list(
    { merchantId }: Pick<Caller, 'merchantId'>,
    { status, createdFrom, createdTo }: OrderFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<OrderView>> {
    const where = { merchantId, createdAt: timeBetween(createdFrom, createdTo), ...conditionOf(status) };
    const found = await translateOutage(
      this.tenants.within(merchantId, (tx) => newestFirst(tx.getRepository(Order), where, limit, cursor)),
    );
    return pageOf(found, limit, orderViewOf);
  }
}

/** The rows of which `orderStatusOf` says this status. */
function conditionOf(status: OrderStatus | undefined): FindOptionsWhere<Order> {
  const withinDue = { amountOverpaid: Equal(0) };
  switch (status) {
    case undefined:
      return {};
    case 'overpaid':
      return { amountOverpaid: MoreThan(0) };
    case 'paid':
      return { ...withinDue, amountPaid: Raw((paid) => `${paid} >= amount_due`) };
    case 'pending':
      return { ...withinDue, amountLive: MoreThan(0), amountPaid: Raw((paid) => `${paid} < amount_due`) };
    case 'open':
      return { ...withinDue, amountLive: Equal(0) };
  }
}

async function detailsOf(tx: EntityManager, order: Order): Promise<OrderDetailsView> {
  const { merchantId, reference } = order;
  const payments = await tx.find(Payment, {
    where: { merchantId, orderReference: reference },
    order: { id: 'DESC' },
    take: MOST_PAYMENTS,
  });
  const names = In(payments.map(firstEntityKey));
  const histories = await readHistories(tx, { merchantId, entityKey: names });
  const orphans = await tx.find(OrphanEffect, {
    where: { merchantId, entityKey: names },
    order: { foundAt: 'ASC', entityKey: 'ASC', route: 'ASC', object: 'ASC' },
    take: MOST_PAYMENTS,
  });
  return {
    ...orderViewOf(order),
    amount_refunded: payments.reduce((sum, { amountRefunded }) => sum + amountRefunded, 0),
    payments: payments.toReversed().map((payment): OrderPaymentView => {
      const { live } = shareOf(payment);
      return {
        payment: paymentViewOf(payment, histories.get(firstEntityKey(payment))),
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
