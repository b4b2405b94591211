import type pg from 'pg';
import { type KeyRetention } from './reaper.js';

const TOO_OLD = `< statement_timestamp() - $1 * interval '1 millisecond'`;

/** The reaper's SQL. */
export class PostgresKeyRetention implements KeyRetention {
  constructor(private readonly pool: pg.Pool) {}

  async deleteFinished(retentionMs: number, limit: number): Promise<number> {
    // created_at carries the (block range) index; a key is finished after it was created, so what
    // finished before the bound was created before it too.
    const { rowCount } = await this.pool.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM idempotency_keys
          WHERE created_at ${TOO_OLD} AND finished_at ${TOO_OLD} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [retentionMs, limit],
    );
    return rowCount ?? 0;
  }

  async countUnfinished(retentionMs: number): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM idempotency_keys WHERE created_at ${TOO_OLD} AND finished_at IS NULL`,
      [retentionMs],
    );
    return rows[0]!.count;
  }
}
