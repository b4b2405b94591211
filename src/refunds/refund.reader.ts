import type pg from 'pg';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type Refund, refunds } from './refund.entity.js';
import { refundViewOf, type RefundView } from './refund.view.js';

export interface RefundPage {
  readonly data: readonly RefundView[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

const COLUMNS = refunds.columns.map(({ name, property }) => `${name} AS "${property}"`).join(', ');

/** Reads of refunds: hand-written SQL over the indexes on id and on payment. */
export class RefundReader {
  constructor(private readonly pool: pg.Pool) {}

  /** Throws Problem `not_found` for another merchant's refund as for none. */
  async get(merchantId: string, id: string): Promise<RefundView> {
    const { rows } = await translateOutage(
      this.pool.query<Refund>(`SELECT ${COLUMNS} FROM refunds WHERE merchant_id = $1 AND id = $2`, [
        merchantId,
        id,
      ]),
    );
    if (!rows[0]) throw new Problem('not_found', 'No such refund.');
    return refundViewOf(rows[0]);
  }

  /** A page of a payment's refunds, newest first: ids are UUIDv7, so their order is that of creation. */
  async listOf(
    merchantId: string,
    paymentId: string,
    limit: number,
    cursor: string | null,
  ): Promise<RefundPage> {
    const { rows } = await translateOutage(
      this.pool.query<Refund>(
        `SELECT ${COLUMNS} FROM refunds
          WHERE merchant_id = $1 AND payment_id = $2 AND ($3::uuid IS NULL OR id < $3)
          ORDER BY id DESC LIMIT $4`,
        [merchantId, paymentId, cursor, limit + 1],
      ),
    );
    const page = rows.slice(0, limit);
    const hasMore = rows.length > limit;
    return {
      data: page.map(refundViewOf),
      has_more: hasMore,
      next_cursor: hasMore ? page.at(-1)!.id : null,
    };
  }
}
