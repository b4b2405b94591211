import { Inject, Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { Clock } from '../core/clock.js';
import { uuidv7 } from '../core/ids.js';

const MINUTE_MS = 60_000;
/** A week is shown. */
const KEPT_MS = 8 * 24 * 60 * MINUTE_MS;
/** The minutes that were never counted, while no worker ran for instance: the newest of them. */
const MISSING = 60;
/** The minutes in which something may still change: those that were counted the longest ago. */
const UNSETTLED = 20;

const FIRST = `
SELECT least((SELECT id FROM payments ORDER BY id LIMIT 1), (SELECT id FROM payouts ORDER BY id LIMIT 1)) AS id`;

/**
 * Whole minutes only: the minute under way would be counted by every pass. Each is counted when it has ended and once
 * more a minute later, and while something in it is undecided again at twice its age, or half an hour later: as many
 * in a pass as its bound allows. `$1`: now, `$2`: from when there is something to count.
 */
const DUE = `
WITH missing AS (
  SELECT minute FROM generate_series(date_trunc('minute', $2::timestamptz),
           date_trunc('minute', $1::timestamptz) - interval '1 minute', interval '1 minute') g (minute)
   WHERE NOT EXISTS (SELECT FROM activity_minutes a WHERE a.minute = g.minute)
   ORDER BY minute DESC LIMIT ${MISSING}),
unsettled AS (
  SELECT minute FROM activity_minutes
   WHERE NOT is_settled AND counted_at <= $1::timestamptz - least(counted_at - minute, interval '30 minutes') ORDER BY counted_at LIMIT ${UNSETTLED})
SELECT minute FROM missing UNION SELECT minute FROM unsettled ORDER BY minute`;

const MARK = `
INSERT INTO activity_minutes (minute, counted_at, is_settled) SELECT minute, $2, false FROM unnest($1::timestamptz[]) m (minute)
ON CONFLICT (minute) DO UPDATE SET counted_at = excluded.counted_at, is_settled = false`;

/** `$2`, `$3`: the lowest payment ids of each minute and of the next one. */
const PAYMENTS = `
INSERT INTO activity_payments (minute, psp, currency, succeeded, authorized, failed, undecided, captured)
SELECT m.minute, p.* FROM unnest($1::timestamptz[], $2::uuid[], $3::uuid[]) AS m (minute, first, next)
 CROSS JOIN LATERAL (
   SELECT coalesce(psp, ''), currency,
          count(*) FILTER (WHERE status IN ('authorized', 'captured', 'partially_refunded', 'refunded')),
          count(*) FILTER (WHERE status = 'authorized'), count(*) FILTER (WHERE status IN ('failed', 'canceled')),
          count(*) FILTER (WHERE status IN ('processing', 'requires_action')), sum(amount_captured)
     FROM payments WHERE id >= m.first AND id < m.next GROUP BY 1, 2) p`;

const CALLS = `
INSERT INTO activity_calls (minute, psp, succeeded, declined, unanswered, p50_ms, p95_ms)
SELECT m.minute, c.* FROM unnest($1::timestamptz[]) AS m (minute)
 CROSS JOIN LATERAL (
   SELECT r.psp, count(*) FILTER (WHERE a.outcome = 'succeeded'),
          count(*) FILTER (WHERE a.outcome IN ('declined', 'rejected')),
          count(*) FILTER (WHERE a.outcome IN ('unknown', 'not_sent') OR a.outcome IS NULL),
          round(percentile_cont(0.5) WITHIN GROUP (ORDER BY a.latency_ms)),
          round(percentile_cont(0.95) WITHIN GROUP (ORDER BY a.latency_ms))
     FROM psp_attempts a JOIN psp_requests r USING (merchant_id, entity_key, route)
    WHERE a.started_at >= m.minute AND a.started_at < m.minute + interval '1 minute' AND a.kind = 'execute'
    GROUP BY r.psp) c`;

/** Not a minute that ended just now: what began in it may be committed after it was counted. */
const SETTLE = `
UPDATE activity_minutes a SET is_settled = true
 WHERE minute = ANY ($1) AND minute < $2::timestamptz - interval '2 minutes'
   AND NOT EXISTS (SELECT FROM activity_payments p WHERE p.minute = a.minute AND p.undecided + p.authorized > 0)`;

/**
 * Counts payments and calls to PSPs by the minute, for the charts of the console. Requests pay nothing for it.
 */
@Injectable()
export class ActivityCounter {
  readonly name = 'activity';
  readonly everyMs = 10_000;

  constructor(
    private readonly pool: Pool,
    @Inject(Clock) private readonly clock: Pick<Clock, 'now'>,
  ) {}

  async runOnce(): Promise<{ readonly counted: number; readonly forgotten: number }> {
    const now = this.clock.now();
    const oldest = new Date(now.getTime() - KEPT_MS);
    const forgotten = await this.pool.query('DELETE FROM activity_minutes WHERE minute < $1', [oldest]);
    const minutes = await this.due(now, oldest);
    if (minutes.length === 0) return { counted: 0, forgotten: forgotten.rowCount ?? 0 };
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await count(client, minutes, now);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.release();
    }
    return { counted: minutes.length, forgotten: forgotten.rowCount ?? 0 };
  }

  private async due(now: Date, oldest: Date): Promise<Date[]> {
    const [{ id }] = (await this.pool.query<{ id: string | null }>(FIRST)).rows as [{ id: string | null }];
    if (id === null) return [];
    const since = new Date(Math.max(oldest.getTime(), timeOfId(id)));
    const { rows } = await this.pool.query<{ minute: Date }>(DUE, [now, since]);
    return rows.map(({ minute }) => minute);
  }
}

async function count(client: PoolClient, minutes: readonly Date[], now: Date): Promise<void> {
  const lowestId = (ms: number) => uuidv7(ms, new Uint8Array(10));
  const first = minutes.map((minute) => lowestId(minute.getTime()));
  const next = minutes.map((minute) => lowestId(minute.getTime() + MINUTE_MS));
  await client.query(MARK, [minutes, now]);
  await client.query('DELETE FROM activity_payments WHERE minute = ANY ($1)', [minutes]);
  await client.query('DELETE FROM activity_calls WHERE minute = ANY ($1)', [minutes]);
  await client.query(PAYMENTS, [minutes, first, next]);
  await client.query(CALLS, [minutes]);
  await client.query(SETTLE, [minutes, now]);
}

/** The time in a UUIDv7, in ms since the epoch. */
function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
