import type pg from 'pg';
import { type KeyRetention } from './reaper.js';

/** The reaper's SQL. */
export class PostgresKeyRetention implements KeyRetention {
  constructor(private readonly pool: pg.Pool) {}

  async deleteFinished(before: Date, limit: number): Promise<number> {
    // created_at carries the (block range) index; a key is finished after it was created, so what
    // finished before the bound was created before it too.
    const { rowCount } = await this.pool.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM idempotency_keys
          WHERE created_at < $1 AND finished_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [before, limit],
    );
    return rowCount ?? 0;
  }

  async countUnfinished(before: Date): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM idempotency_keys WHERE created_at < $1 AND finished_at IS NULL',
      [before],
    );
    return rows[0]!.count;
  }
}
