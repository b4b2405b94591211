import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { And, In, Repository } from 'typeorm';
import { type Page, pageOf } from '../core/page.js';
import { between, newestFirst } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { type Subject } from '../request-storage/route-worker.js';
import { Route } from '../request-storage/route.entity.js';
import { readHistories } from '../request-storage/read-histories.js';
import { firstEntityKey } from './payment-state.js';
import { type Dispute, type Disputed, type DisputeStatus } from './dispute.js';
import { disputeViewOf, type DisputeView } from './dispute.view.js';
import { hasPair } from './metadata-pair.js';
import { Payment } from './payment.entity.js';
import { type PaymentView, paymentViewOf } from './payment.view.js';
import { type PaymentFilter } from './dto/list-payments.dto.js';

const DISPUTES = `
SELECT d ->> 'id' AS id, d AS dispute,
       json_build_object('id', p.id, 'psp', p.psp, 'currency', p.currency, 'isTest', p.test) AS of
  FROM payments p CROSS JOIN LATERAL jsonb_array_elements(p.disputes) d
 WHERE p.merchant_id = $1 AND p.disputes IS NOT NULL AND ($2::text IS NULL OR d ->> 'status' = $2)
   AND ($3::text IS NULL OR d ->> 'id' < $3)
 ORDER BY d ->> 'id' DESC LIMIT $4`;

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
    {
      createdFrom,
      createdTo,
      amountFrom,
      amountTo,
      metadata = {},
      ...conditions
    }: Omit<PaymentFilter, 'customer'>,
    /** The hashes that payments of one customer keep; null: of any. */
    customers: readonly Uint8Array[] | null,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    const pairs = Object.entries(metadata);
    const every = {
      merchantId,
      ...conditions,
      amount: between(amountFrom, amountTo),
      createdAt: between(createdFrom, createdTo),
      id: pairs.length > 0 ? And(...pairs.map((pair, nth) => hasPair(merchantId, pair, nth))) : null,
    };
    const where = customers
      ? (['customerHash', 'customerEmailHash'] as const).map((hash) => ({
          ...every,
          [hash]: In([...customers]),
        }))
      : every;
    const [found, histories] = await translateOutage(
      this.tenants.within(merchantId, async (tx) => {
        const rows = await newestFirst(tx.getRepository(Payment), where, limit, cursor);
        const names = In(rows.map(firstEntityKey));
        return [rows, await readHistories(tx, { merchantId, entityKey: names })] as const;
      }),
    );
    return pageOf(found, limit, (payment) => paymentViewOf(payment, histories.get(firstEntityKey(payment))));
  }

  /** A page of a merchant's disputes. Few payments have any, and an index holds those that do. */
  async disputes(
    merchantId: string,
    status: DisputeStatus | null,
    limit: number,
    cursor: string | null,
  ): Promise<Page<DisputeView>> {
    const rows = await translateOutage(
      this.tenants.sqlOf(merchantId).query(DISPUTES, [merchantId, status, cursor, limit + 1]),
    );
    const found = rows.rows as readonly {
      readonly id: string;
      readonly of: Disputed;
      readonly dispute: Dispute;
    }[];
    return pageOf(found, limit, ({ of, dispute }) => disputeViewOf(of, dispute));
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
