import { type Pool } from 'pg';
import { type Hold } from '../core/hold.js';
import { HOLD } from './failover-hold.js';
import { PROCESS_CLASS } from './process-session.js';

/** An installation, and the processes that are there for it. */
interface Installation {
  /** The last migration that was run. */
  readonly schema: string;
  /** The version of the database server. */
  readonly server: string;
  /** Processes that show a sign of life; those behind a pooler show none. */
  readonly processes: number;
  readonly hold: Hold;
  /** The time until which no other PSP is tried, because commits may be lost; null if a person ends it, or nothing is held. */
  readonly failoverHeldUntil: Date | null;
}

/** The same, with the work that waits in it. */
export interface InstallationStatus extends Installation {
  readonly stuckRoutes: number;
  readonly orphanEffects: number;
  readonly breaks: number;
  readonly deadLetters: number;
  /** Open routes that a worker drives on by itself. */
  readonly openRoutes: number;
  /** Since when the oldest of them is open; null where there is none. */
  readonly oldestOpenRoute: Date | null;
  readonly unfinishedKeys: number;
  readonly outbox: number;
  readonly eventsToFanOut: number;
  readonly notificationsToApply: number;
  readonly deliveries: number;
}

const count = (from: string) => `(SELECT count(*)::int FROM ${from})`;

const INSTALLATION = `
       (SELECT name FROM schema_migrations ORDER BY id DESC LIMIT 1) AS schema,
       current_setting('server_version') AS server,
       ${count(`pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid = ${PROCESS_CLASS}
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)} AS processes,
       ${HOLD} AS hold,
       (SELECT NULLIF(held_until, 'infinity') FROM failover_hold
         WHERE held_until > clock_timestamp()) AS "failoverHeldUntil"`;

/** Figures from partial indexes, in one statement. */
const STATUS = `
SELECT ${INSTALLATION},
       ${count('psp_requests WHERE stuck_at IS NOT NULL')} AS "stuckRoutes",
       ${count("orphan_effects WHERE status NOT IN ('compensated', 'closed')")} AS "orphanEffects",
       ${count('reconciliation_breaks WHERE closed_at IS NULL')} AS breaks,
       ${count('dead_letters')} AS "deadLetters",
       ${count("psp_requests WHERE verdict = 'open' AND next_step_at IS NOT NULL")} AS "openRoutes",
       (SELECT min(opened_at) FROM psp_requests
         WHERE verdict = 'open' AND next_step_at IS NOT NULL) AS "oldestOpenRoute",
       ${count('idempotency_keys WHERE resumable_at IS NOT NULL')} AS "unfinishedKeys",
       ${count('staged_jobs')} AS outbox,
       ${count('events WHERE fanned_out_at IS NULL')} AS "eventsToFanOut",
       ${count('webhook_inbox WHERE next_at IS NOT NULL')} AS "notificationsToApply",
       ${count("webhook_deliveries WHERE status = 'pending'")} AS deliveries`;

export async function readStatus(pool: Pick<Pool, 'query'>): Promise<InstallationStatus> {
  const { rows } = await pool.query<InstallationStatus>(STATUS);
  return rows[0]!;
}

export async function readInstallation(pool: Pick<Pool, 'query'>): Promise<Installation> {
  const { rows } = await pool.query<Installation>(`SELECT ${INSTALLATION}`);
  return rows[0]!;
}
