import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { uuidv7 } from '../core/ids.js';
import { prune } from '../database/prune.js';
import { type Sql } from '../database/tenants.js';

const DAY_MS = 24 * 3_600_000;

/**
 * `$1` the first id that is kept, `$2` limit. An event's id begins with its time, so that each merchant's oldest
 * are the beginning of a range of the primary key, and no index on time has to be kept for them. Events with open
 * deliveries, or that are just being replayed, are left for the next pass.
 */
const FORGET = `
WITH old AS MATERIALIZED (
  SELECT v.merchant_id, v.id FROM merchants m
   CROSS JOIN LATERAL (
     SELECT e.merchant_id, e.id FROM events e
      WHERE e.merchant_id = m.id AND e.id < $1 AND e.fanned_out_at IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM webhook_deliveries d
           WHERE d.merchant_id = e.merchant_id AND d.event_id = e.id AND d.status = 'pending')
      ORDER BY e.id LIMIT $2 FOR UPDATE SKIP LOCKED) v
   LIMIT $2),
tries AS (
  DELETE FROM webhook_delivery_attempts a USING old o
   WHERE a.merchant_id = o.merchant_id AND a.event_id = o.id),
deliveries AS (
  DELETE FROM webhook_deliveries d USING old o
   WHERE d.merchant_id = o.merchant_id AND d.event_id = o.id),
gone AS (
  DELETE FROM events e USING old o WHERE e.merchant_id = o.merchant_id AND e.id = o.id RETURNING 1)
SELECT count(*)::int AS count FROM gone`;

/** Deletes events after their retention, with their deliveries. Other tables keep the history of a payment. */
@Injectable()
export class EventRetention {
  readonly name = 'events';
  readonly everyMs = 600_000;

  constructor(
    @Inject(Pool) private readonly sql: Sql,
    private readonly clock: Clock,
    @Inject(Config) private readonly config: Pick<Config, 'eventRetentionDays'>,
  ) {}

  async runOnce(): Promise<{ readonly deleted: number }> {
    const retentionMs = this.config.eventRetentionDays * DAY_MS;
    const firstKept = uuidv7(this.clock.now().getTime() - retentionMs, Buffer.alloc(10));
    const deleted = await prune(async (limit) => {
      const { rows } = await this.sql.query<{ count: number }>(FORGET, [firstKept, limit]);
      return rows[0]?.count ?? 0;
    });
    return { deleted };
  }
}
