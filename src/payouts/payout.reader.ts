import { type Page } from '../core/page.js';
import type pg from 'pg';
import { translateOutage } from '../database/store-unavailable.js';
import { entityKey } from '../request-storage/entity-key.js';
import { columnsOf, readHistories } from '../request-storage/histories.js';
import { type Subject } from '../request-storage/operation-resolver.js';
import { type Payout, payouts } from './payout.entity.js';
import { viewOf } from './payout.view.js';
import { type PayoutFilter, type PayoutView } from './payouts.js';
import { type Sequences, type Tail } from './sequence.js';

/** Lists of payouts and where a recipient's sequence has come: hand-written SQL. */
export class PayoutReader implements Sequences {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * A page of a merchant's payouts, newest first. The cursor is the id of the last one seen: ids are
   * UUIDv7, so their order is that of creation and an index on them serves the page without a sort.
   */
  list(
    merchantId: string,
    filter: PayoutFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PayoutView>> {
    return translateOutage(this.read(merchantId, filter, limit, cursor));
  }

  /** Newest first, since the newest is nearly always the one; clocks differ, so it need not be. */
  async tailOf(merchantId: string, recipient: string): Promise<Tail | null> {
    const found = this.pool.query<Tail>(
      `SELECT id, status FROM payouts p
        WHERE merchant_id = $1 AND recipient = $2
          AND NOT EXISTS (SELECT FROM payouts n WHERE n.merchant_id = p.merchant_id
                             AND n.recipient = p.recipient AND n.previous = p.id)
        ORDER BY id DESC LIMIT 1`,
      [merchantId, recipient],
    );
    const { rows } = await translateOutage(found);
    return rows[0] ?? null;
  }

  /** The payout that a PSP names by our id; null where there is none. */
  async subjectOf(id: string): Promise<Subject | null> {
    const { rows } = await translateOutage(
      this.pool.query<{ merchant_id: string }>('SELECT merchant_id FROM payouts WHERE id = $1', [id]),
    );
    return rows[0] ? { merchantId: rows[0].merchant_id, paymentId: null, payoutId: id } : null;
  }

  private async read(
    merchantId: string,
    filter: PayoutFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PayoutView>> {
    const values: unknown[] = [merchantId];
    const conditions = ['merchant_id = $1'];
    const where = (sql: string, value: unknown) => {
      if (value === undefined || value === null) return;
      values.push(value);
      conditions.push(`${sql} $${values.length}`);
    };
    where('id <', cursor);
    where('status =', filter.status);
    where('psp =', filter.psp);
    where('reference =', filter.reference);
    where('recipient =', filter.recipient);
    where('created_at >=', filter.createdFrom);
    where('created_at <=', filter.createdTo);
    const { rows } = await this.pool.query<Payout>(
      `SELECT ${columnsOf(payouts)} FROM payouts WHERE ${conditions.join(' AND ')} ORDER BY id DESC LIMIT ${limit + 1}`,
      values,
    );
    const page = rows.slice(0, limit);
    const keys = page.map(({ id }) => entityKey.send(id));
    const histories = await readHistories(this.pool, merchantId, keys);
    return {
      data: page.map((payout) => viewOf(payout, histories.get(entityKey.send(payout.id)))),
      has_more: rows.length > limit,
      next_cursor: rows.length > limit ? page.at(-1)!.id : null,
    };
  }
}
