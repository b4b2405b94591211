import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LessThan, Repository } from 'typeorm';
import { type Page, pageOf } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { Refund } from './refund.entity.js';
import { refundViewOf, type RefundView } from './refund.view.js';

/** Reads of refunds, over the indexes on id and on payment. */
@Injectable()
export class RefundReader {
  constructor(@InjectRepository(Refund) private readonly refunds: Repository<Refund>) {}

  /** Throws Problem `not_found` for another merchant's refund as for none. */
  async get(merchantId: string, id: string): Promise<RefundView> {
    const refund = await translateOutage(this.refunds.findOneBy({ merchantId, id }));
    if (!refund) throw new Problem('not_found', 'No such refund.');
    return refundViewOf(refund);
  }

  /** A page of a payment's refunds, newest first: ids are UUIDv7, so their order is that of creation. */
  async listOf(
    merchantId: string,
    paymentId: string,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>> {
    const found = await translateOutage(
      this.refunds.find({
        where: { merchantId, paymentId, ...(cursor === null ? {} : { id: LessThan(cursor) }) },
        order: { id: 'DESC' },
        take: limit + 1,
      }),
    );
    return pageOf(found, limit, refundViewOf);
  }
}
