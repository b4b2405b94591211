import { type Pool } from 'pg';

const BATCH = 1_000;
const MOST_BATCHES = 100;

/** Forgets the guards whose time is over. Hand-written SQL; the store's clock decides. */
export class DuplicateRetention {
  constructor(private readonly pool: Pool) {}

  /** One pass, with a bound. */
  async runOnce(): Promise<{ readonly deleted: number }> {
    let deleted = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const { rowCount } = await this.pool.query(
        `DELETE FROM duplicate_guards WHERE (merchant_id, digest) IN (
           SELECT merchant_id, digest FROM duplicate_guards
            WHERE until <= statement_timestamp() LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [BATCH],
      );
      deleted += rowCount ?? 0;
      if ((rowCount ?? 0) < BATCH) break;
    }
    return { deleted };
  }
}
