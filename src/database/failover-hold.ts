import { type ClientBase } from 'pg';
import { type Hold } from '../core/hold.js';

/** How long after lost commits a client may still repeat a request, and Stripe remembers its key. */
export const FAILOVER_HOURS = 24;

/** A promoted standby writes another timeline; a restored database is on one, on another server, or has another oid. */
const IDENTITY = `
  (SELECT system_identifier FROM pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;

const part = (of: 'hold' | 'excluded', n: 1 | 2 | 3) => `split_part(${of}.identity, '/', ${n})`;

/** The same server and database, on a later timeline: a standby was promoted. */
const IS_PROMOTION = `
  ${part('excluded', 1)} = ${part('hold', 1)} AND ${part('excluded', 3)} = ${part('hold', 3)}
  AND ${part('excluded', 2)} > ${part('hold', 2)}`;

const NOTICE = `
INSERT INTO failover_hold AS hold (identity, changed_by)
SELECT ${IDENTITY}, 'system:session'
ON CONFLICT (one) DO UPDATE
   SET identity = excluded.identity,
       held_until = CASE WHEN $1 AND ${IS_PROMOTION} THEN hold.held_until ELSE 'infinity' END,
       changed_by = excluded.changed_by, changed_at = now()
 WHERE hold.identity <> excluded.identity`;

const SET = `
UPDATE failover_hold
   SET held_until = CASE $1::text WHEN 'operations' THEN 'infinity'
                                  WHEN 'failover' THEN clock_timestamp() + interval '${FAILOVER_HOURS} hours' END,
       changed_by = $2, changed_at = clock_timestamp()
RETURNING NULLIF(held_until, 'infinity') AS "heldUntil"`;

/** An expression for what `failover_hold` holds now. */
export const HOLD = `
  COALESCE((SELECT CASE WHEN held_until = 'infinity' THEN 'operations'
                        WHEN held_until > clock_timestamp() THEN 'failover' END FROM failover_hold), 'none')`;

/** The stage of the hold, since when, and who changed it last. */
interface HoldRecord {
  readonly hold: Hold;
  /** null where a person ends it, or nothing is held. */
  readonly heldUntil: Date | null;
  readonly changedBy: string | null;
  readonly changedAt: Date | null;
}

export async function readHold(sql: Pick<ClientBase, 'query'>): Promise<HoldRecord> {
  const { rows } = await sql.query<HoldRecord>(`
SELECT ${HOLD} AS hold, changed_by AS "changedBy", changed_at AS "changedAt",
       CASE WHEN held_until > clock_timestamp() THEN NULLIF(held_until, 'infinity') END AS "heldUntil"
  FROM (VALUES (true)) AS any_start (one) LEFT JOIN failover_hold USING (one)`);
  return rows[0]!;
}

/**
 * Holds operations where the database is not the one that a process met last: its last commits may be lost.
 * Not after the promotion of a standby that is synchronous, which has every commit.
 */
export async function noticeOtherDatabase(
  sql: Pick<ClientBase, 'query'>,
  isStandbySynchronous = false,
): Promise<void> {
  await sql.query(NOTICE, [isStandbySynchronous]);
}

/** The time until which failover is held; null if a person ends it, or nothing is held. `by`: who decides so. */
export async function setHold(
  sql: Pick<ClientBase, 'query'>,
  hold: Exclude<Hold, 'unknown'>,
  by: string,
): Promise<Date | null> {
  const { rows } = await sql.query<{ heldUntil: Date | null }>(SET, [hold, by]);
  // Before the first start there is nothing to hold.
  return rows[0]?.heldUntil ?? null;
}
