import { Injectable } from '@nestjs/common';
import { type Caller } from '../core/caller.js';
import { type Page, pageOf } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { between, newestFirst } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { mayNameOrder } from '../http/shared-fields.js';
import { TenantDatabase } from '../database/tenants.js';
import { Order } from '../payments/order.entity.js';
import { type OrderView, orderViewOf } from '../payments/order.view.js';
import { type OrderDetailsView } from './order-details.view.js';
import { detailsOf, OVERPAID, reportOf } from './order-report.js';
import { type OrderFilter } from './dto/list-orders.dto.js';

/** Reads orders. Every refusal is a thrown `Problem`. */
@Injectable()
export class OrdersService {
  constructor(private readonly tenants: TenantDatabase) {}

  /** Throws Problem `not_found` for another merchant's order as for none. */
  async get({ merchantId }: Pick<Caller, 'merchantId'>, reference: string): Promise<OrderDetailsView> {
    if (!mayNameOrder(reference)) throw new Problem('not_found', 'No such order.');
    const found = await translateOutage(
      this.tenants.within(merchantId, async (tx) => {
        const order = await tx.findOneBy(Order, { merchantId, reference });
        return order && reportOf(tx, order);
      }),
    );
    if (!found) throw new Problem('not_found', 'No such order.');
    return detailsOf(found);
  }

  /** A page of a merchant's orders, newest first. */
  async list(
    { merchantId }: Pick<Caller, 'merchantId'>,
    { status, createdFrom, createdTo }: OrderFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<OrderView>> {
    const where = { merchantId, createdAt: between(createdFrom, createdTo), ...(status ? OVERPAID : {}) };
    const found = await translateOutage(
      this.tenants.within(merchantId, (tx) => newestFirst(tx.getRepository(Order), where, limit, cursor)),
    );
    return pageOf(found, limit, orderViewOf);
  }
}
