import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, LessThan, Repository } from 'typeorm';
import { type Page, pageOf } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { given, timeBetween } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type Subject } from '../request-storage/operation-resolver.js';
import { PspRequest } from '../request-storage/psp-request.entity.js';
import { readHistories } from '../request-storage/read-histories.js';
import { firstEntityKey } from './payment-state.js';
import { Payment } from './payment.entity.js';
import { type PaymentStatus } from './payment.lifecycle.js';
import { type PaymentView, viewOf } from './payment.view.js';
import { type PaymentFilter } from './payments.js';

/** Lists of payments, newest first, by cursor. */
@Injectable()
export class PaymentReader {
  constructor(@InjectRepository(Payment) private readonly payments: Repository<Payment>) {}

  /**
   * A page of a merchant's payments. The cursor is the id of the last one seen: ids are UUIDv7, so
   * their order is that of creation and the primary key serves the page without a sort.
   */
  list(
    merchantId: string,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    return translateOutage(this.read(merchantId, filter, limit, cursor));
  }

  /** The payment that a PSP names by our id; null where there is none. */
  async subjectOf(id: string): Promise<Subject | null> {
    const payment = await translateOutage(this.payments.findOneBy({ id }));
    return payment && { merchantId: payment.merchantId, paymentId: id, payoutId: null };
  }

  /** The payment that a PSP made under this id of its own; null where there is none. */
  async ofReference(psp: string, pspReference: string): Promise<{ merchantId: string; id: string } | null> {
    const found = await translateOutage(
      this.payments.manager.findOneBy(PspRequest, {
        pspReference,
        psp,
        operation: In(['charge', 'authorize']),
        verdict: 'effective',
      }),
    );
    return found && { merchantId: found.merchantId, id: found.paymentId! };
  }

  private async read(
    merchantId: string,
    { status, psp, reference, createdFrom, createdTo }: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    const found = await this.payments.find({
      where: given({
        merchantId,
        id: cursor && LessThan(cursor),
        status: status as PaymentStatus | undefined,
        psp,
        reference,
        createdAt: timeBetween(createdFrom, createdTo),
      }),
      order: { id: 'DESC' },
      take: limit + 1,
    });
    const entityKey = In(found.map(firstEntityKey));
    const histories = await readHistories(this.payments.manager, { merchantId, entityKey });
    return pageOf(found, limit, (payment) => viewOf(payment, histories.get(firstEntityKey(payment))));
  }
}

export function notFound(): Problem {
  return new Problem('not_found', 'No such payment.');
}
