import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { Merchant } from '../merchants/merchant.entity.js';
import { ActionLog } from '../operators/action-log.js';
import { type SignedIn } from '../operators/operator-sessions.js';
import { reportOf } from '../orders/order-report.js';
import { Order } from '../payments/order.entity.js';
import { shareOf } from '../payments/order-rules.js';
import { orderViewOf } from '../payments/order.view.js';
import { type OrderPageView } from './console-views.js';
import { explainOrder, explainTry } from './explain.js';
import { orphanRow, PageViews } from './payment-page.js';

/** All that the console shows of an order. */
@Injectable()
export class OrderPages {
  private readonly views = new PageViews();

  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly clock: Clock,
    private readonly acts: ActionLog,
  ) {}

  /** Writes down who looked at it. @throws Problem `not_found` */
  async show(id: string, operator: SignedIn): Promise<OrderPageView> {
    const { manager } = this.source;
    const order = await translateOutage(manager.findOneBy(Order, { id }));
    if (!order) throw new Problem('not_found', 'No such order.');
    const { merchantId } = order;
    const subject = `order:${id}`;
    await this.views.once(operator, subject, () =>
      this.acts.record(operator, merchantId, 'order.viewed', subject, {}),
    );
    const report = await translateOutage(reportOf(manager, order));
    const merchant = await translateOutage(manager.findOneByOrFail(Merchant, { id: merchantId }));
    const now = this.clock.now();
    return {
      order: { ...orderViewOf(order), merchant: merchant.name },
      explained: explainOrder(report),
      tries: report.payments.map((one) => {
        const { id: paymentId, reference, status, amount, currency, psp, createdAt } = one.payment;
        return {
          id: paymentId,
          reference,
          status,
          amount,
          currency,
          psp,
          created_at: createdAt.toISOString(),
          amount_live: shareOf(one.payment).live,
          said: explainTry(one, now),
        };
      }),
      orphans: report.orphans.map(orphanRow),
    };
  }
}
