import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { type Page, pageOf } from '../core/page.js';
import { newestFirst, timeBetween } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { type Subject } from '../request-storage/route-worker.js';
import { Route } from '../request-storage/route.entity.js';
import { readHistories } from '../request-storage/read-histories.js';
import { firstEntityKey } from './payment-state.js';
import { Payment } from './payment.entity.js';
import { type PaymentView, paymentViewOf } from './payment.view.js';
import { type PaymentFilter } from './dto/list-payments.dto.js';

/** Lists of payments, newest first, by cursor. */
@Injectable()
export class PaymentReader {
  constructor(
    @InjectRepository(Payment) private readonly payments: Repository<Payment>,
    private readonly tenants: TenantDatabase,
  ) {}

  /** A page of a merchant's payments. */
  async list(
    merchantId: string,
    { createdFrom, createdTo, ...conditions }: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    const where = { merchantId, ...conditions, createdAt: timeBetween(createdFrom, createdTo) };
    const [found, histories] = await translateOutage(
      this.tenants.within(merchantId, async (tx) => {
        const rows = await newestFirst(tx.getRepository(Payment), where, limit, cursor);
        const names = In(rows.map(firstEntityKey));
        return [rows, await readHistories(tx, { merchantId, entityKey: names })] as const;
      }),
    );
    return pageOf(found, limit, (payment) => paymentViewOf(payment, histories.get(firstEntityKey(payment))));
  }

  /** The payment with our id, as a PSP returned it; null if there is none. */
  async subjectOf(id: string): Promise<Subject | null> {
    const payment = await translateOutage(this.payments.findOneBy({ id }));
    return payment && { merchantId: payment.merchantId, paymentId: id, payoutId: null };
  }

  /** The payment with this PSP id; null if there is none. */
  async ofReference(psp: string, pspReference: string): Promise<{ merchantId: string; id: string } | null> {
    const found = await translateOutage(
      this.payments.manager.findOneBy(Route, {
        pspReference,
        psp,
        operation: In(['charge', 'authorize']),
        verdict: 'effective',
      }),
    );
    return found && { merchantId: found.merchantId, id: found.paymentId! };
  }
}
