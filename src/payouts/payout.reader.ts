import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Repository } from 'typeorm';
import { type Page, pageOf } from '../core/page.js';
import { between, newestFirst } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type Subject } from '../request-storage/route-worker.js';
import { readHistories } from '../request-storage/read-histories.js';
import { Payout } from './payout.entity.js';
import { type PayoutView, payoutViewOf } from './payout.view.js';
import { type PayoutFilter } from './dto/list-payouts.dto.js';
import { type Sequences, type Tail } from './sequence.js';

/** Lists of payouts and where a recipient's sequence has come. */
@Injectable()
export class PayoutReader implements Sequences {
  constructor(
    @InjectRepository(Payout) private readonly payouts: Repository<Payout>,
    private readonly tenants: TenantDatabase,
  ) {}

  /** A page of a merchant's payouts. */
  async list(
    merchantId: string,
    { createdFrom, createdTo, ...conditions }: PayoutFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PayoutView>> {
    const where = { merchantId, ...conditions, createdAt: between(createdFrom, createdTo) };
    const [found, histories] = await translateOutage(
      this.tenants.within(merchantId, async (tx) => {
        const rows = await newestFirst(tx.getRepository(Payout), where, limit, cursor);
        const names = In(rows.map(({ id }) => entityKey.send(id)));
        return [rows, await readHistories(tx, { merchantId, entityKey: names })] as const;
      }),
    );
    return pageOf(found, limit, (payout) => payoutViewOf(payout, histories.get(entityKey.send(payout.id))));
  }

  /** Newest first, since the newest is nearly always the one; clocks differ, so it need not be. */
  async tailOf(merchantId: string, recipient: string): Promise<Tail | null> {
    const found = this.payouts.query<Tail[]>(
      `SELECT id, status FROM payouts p
        WHERE merchant_id = $1 AND recipient = $2
          AND NOT EXISTS (SELECT FROM payouts n WHERE n.merchant_id = p.merchant_id
                             AND n.recipient = p.recipient AND n.previous = p.id)
        ORDER BY id DESC LIMIT 1`,
      [merchantId, recipient],
    );
    return (await translateOutage(found))[0] ?? null;
  }

  /** The payout that a PSP names by our id; null where there is none. */
  async subjectOf(id: string): Promise<Subject | null> {
    const payout = await translateOutage(this.payouts.findOneBy({ id }));
    return payout && { merchantId: payout.merchantId, paymentId: null, payoutId: id };
  }
}
