import { type ClientBase } from 'pg';

/** How long after lost commits a client may still repeat a request, and Stripe remembers its key. */
export const HOLD_HOURS = 24;

/** A promoted standby writes another timeline; a restored database is on one, on another server, or has another oid. */
const IDENTITY = `
  (SELECT system_identifier FROM pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database())`;

const NOTICE = `
INSERT INTO failover_hold AS hold (identity, changed_by)
SELECT ${IDENTITY}, 'system:session'
ON CONFLICT (one) DO UPDATE
   SET identity = excluded.identity,
       held_until = now() + interval '${HOLD_HOURS} hours',
       changed_by = excluded.changed_by, changed_at = now()
 WHERE hold.identity <> excluded.identity`;

const SET = `
UPDATE failover_hold
   SET held_until = CASE WHEN $1 THEN clock_timestamp() + interval '${HOLD_HOURS} hours' END,
       changed_by = $2, changed_at = clock_timestamp()
RETURNING held_until AS "heldUntil"`;

/** Holds failover where the database is not the one that a process met last: its last commits may be lost. */
export async function noticeOtherDatabase(sql: Pick<ClientBase, 'query'>): Promise<void> {
  await sql.query(NOTICE);
}

/** Until when failover is held now; null where it is not. `by`: who decides so. */
export async function setFailoverHold(
  sql: Pick<ClientBase, 'query'>,
  isHeld: boolean,
  by: string,
): Promise<Date | null> {
  const { rows } = await sql.query<{ heldUntil: Date | null }>(SET, [isHeld, by]);
  // Before the first start there is nothing to hold.
  return rows[0]?.heldUntil ?? null;
}
