import { type Pool } from 'pg';
import { prune } from '../database/prune.js';

/** Deletes the guards whose window has ended, by the store's clock, unless the payment is still in doubt. */
export class DuplicateRetention {
  constructor(private readonly pool: Pool) {}

  /** One pass, with a bound. */
  async runOnce(): Promise<{ readonly deleted: number }> {
    const deleted = await prune(async (limit) => {
      const { rowCount } = await this.pool.query(
        `DELETE FROM duplicate_guards WHERE (merchant_id, digest) IN (
           SELECT merchant_id, digest FROM duplicate_guards g
            WHERE until <= statement_timestamp() AND NOT EXISTS (
              SELECT FROM payments p WHERE p.merchant_id = g.merchant_id AND p.id = g.payment_id AND p.status = 'processing')
            LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [limit],
      );
      return rowCount ?? 0;
    });
    return { deleted };
  }
}
