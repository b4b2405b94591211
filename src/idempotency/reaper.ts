import { type Pool } from 'pg';
import { prune } from '../database/prune.js';

const TOO_OLD = `< statement_timestamp() - $1 * interval '1 millisecond'`;

/** Deletes finished keys after their retention. Unfinished keys are counted for an operator, never deleted. */
export class Reaper {
  constructor(
    private readonly pool: Pool,
    private readonly retentionMs: number,
  ) {}

  async runOnce(): Promise<{ readonly deleted: number; readonly unfinished: number }> {
    const deleted = await prune((limit) => this.deleteFinished(limit));
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM idempotency_keys WHERE created_at ${TOO_OLD} AND finished_at IS NULL`,
      [this.retentionMs],
    );
    return { deleted, unfinished: rows[0]!.count };
  }

  private async deleteFinished(limit: number): Promise<number> {
    // created_at carries the (block range) index; a key is finished after it was created, so what
    // finished before the bound was created before it too.
    const { rowCount } = await this.pool.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM idempotency_keys
          WHERE created_at ${TOO_OLD} AND finished_at ${TOO_OLD} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [this.retentionMs, limit],
    );
    return rowCount ?? 0;
  }
}
