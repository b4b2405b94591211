import type pg from 'pg';
import { type CallLock, type CallStore, CallStoreUnavailable, type Hold, type Taken } from './call-store.js';

/**
 * The table, to be run once or put into a migration. `expires_at` is the end of the lock's lease or of the
 * answer's retention; past it the row counts as not there. `record` is null while the handler runs.
 */
export const createCallsTable = `
CREATE TABLE IF NOT EXISTS idempotent_calls (
  name        text        COLLATE "C" PRIMARY KEY CHECK (name ~ '^i9y:[a-z0-9-]+:.' AND length(name) <= 400),
  token       uuid        NOT NULL,
  fingerprint text        NOT NULL CHECK (length(fingerprint) BETWEEN 1 AND 128),
  record      text        CHECK (octet_length(record) <= 1100000),
  expires_at  timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS idempotent_calls_expires ON idempotent_calls (expires_at)`;

/**
 * One statement. A row that is past expires_at counts as not there: a lock that lapsed or an answer
 * past its retention. Where a live row is seen nothing is written, not even the row lock that an
 * upsert takes when its WHERE does not hold. When another call gets in between, nothing comes back,
 * and it is asked again.
 */
const TAKE = `
WITH there AS MATERIALIZED (
  SELECT fingerprint, record, expires_at FROM idempotent_calls
   WHERE name = $1 AND expires_at > clock_timestamp() AND NOT (token = $2 AND record IS NULL)
), lapsed AS (
  SELECT FROM idempotent_calls WHERE name = $1 AND record IS NULL AND token <> $2
), taken AS (
  INSERT INTO idempotent_calls AS c (name, token, fingerprint, record, expires_at)
  SELECT $1, $2, $3, NULL, clock_timestamp() + $4 * interval '1 millisecond'
   WHERE NOT EXISTS (SELECT FROM there)
  ON CONFLICT (name) DO UPDATE
     SET token = excluded.token, fingerprint = excluded.fingerprint, record = NULL,
         expires_at = excluded.expires_at
   WHERE c.expires_at <= clock_timestamp() OR (c.token = excluded.token AND c.record IS NULL)
  RETURNING 1
)
SELECT true AS taken, EXISTS (SELECT FROM lapsed) AS "tookOver",
       NULL AS fingerprint, NULL AS record, NULL::float8 AS "lastsMs"
  FROM taken
UNION ALL
SELECT false, false, fingerprint, record,
       greatest(0, extract(epoch FROM expires_at - clock_timestamp()) * 1000)::float8
  FROM there`;

/** What is the lock's own although it lapsed is still its own, as long as no other call has taken it. */
const EXTEND = `
WITH extended AS (
  UPDATE idempotent_calls SET expires_at = clock_timestamp() + $3 * interval '1 millisecond'
   WHERE name = $1 AND token = $2 AND record IS NULL
  RETURNING 1
)
SELECT EXISTS (SELECT FROM extended) AS held,
       EXISTS (SELECT FROM idempotent_calls WHERE name = $1) AS "isThere"`;

const RECORD = `
WITH recorded AS (
  UPDATE idempotent_calls SET record = $3, expires_at = clock_timestamp() + $4 * interval '1 millisecond'
   WHERE name = $1 AND token = $2 AND record IS NULL
  RETURNING 1
)
SELECT EXISTS (SELECT FROM recorded)
       OR EXISTS (SELECT FROM idempotent_calls WHERE name = $1 AND token = $2 AND record = $3) AS held,
       EXISTS (SELECT FROM idempotent_calls WHERE name = $1) AS "isThere"`;

const RELEASE = 'DELETE FROM idempotent_calls WHERE name = $1 AND token = $2 AND record IS NULL';

const FORGET = `
DELETE FROM idempotent_calls WHERE ctid = ANY(ARRAY(
  SELECT ctid FROM idempotent_calls WHERE expires_at < clock_timestamp() - interval '1 hour'
   ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED))`;

/** Each ends because another call moved the row on; that many in a row do not happen by chance. */
const MAX_TRIES = 8;

interface TakeRow {
  readonly taken: boolean;
  readonly tookOver: boolean;
  readonly fingerprint: string;
  readonly record: string | null;
  readonly lastsMs: number;
}

interface HoldRow {
  readonly held: boolean;
  readonly isThere: boolean;
}

/**
 * Calls that Postgres remembers, in `idempotent_calls`. Leases and retention are judged by the
 * database's clock. A committed answer survives a crash of the server.
 */
export class PostgresCallStore implements CallStore {
  /** A lock that lapsed is still in its row. */
  readonly takeOverSeenBy = 'taker';

  /** `timeoutMs`: how long one statement may take, a wait for a connection not counted. */
  constructor(
    private readonly pool: pg.Pool,
    private readonly timeoutMs = 2_000,
  ) {}

  async take(lock: CallLock, ttlMs: number): Promise<Taken> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const values = [lock.name, lock.token, lock.fingerprint, ttlMs];
      const [row] = (await this.step<TakeRow>(TAKE, values)).rows;
      if (!row) continue;
      if (row.taken) return { state: 'taken', tookOver: row.tookOver };
      const { fingerprint, record, lastsMs } = row;
      return record === null
        ? { state: 'running', fingerprint, lastsMs: async () => Math.ceil(lastsMs) }
        : { state: 'done', fingerprint, record };
    }
    throw new CallStoreUnavailable(new Error('the row changed under every try'));
  }

  async extend(lock: CallLock, ttlMs: number): Promise<Hold> {
    return holdOf(await this.step<HoldRow>(EXTEND, [lock.name, lock.token, ttlMs]));
  }

  async record(lock: CallLock, record: string, retentionMs: number): Promise<Hold> {
    return holdOf(await this.step<HoldRow>(RECORD, [lock.name, lock.token, record, retentionMs]));
  }

  async release(lock: CallLock): Promise<void> {
    await this.step(RELEASE, [lock.name, lock.token]);
  }

  /**
   * Deletes what expired more than an hour ago, at most `limit` rows; returns how many. To be run now
   * and then. The hour leaves a lapsed lock to its holder, who may still record under it.
   */
  async forgetExpired(limit: number): Promise<number> {
    return (await this.step(FORGET, [limit])).rowCount ?? 0;
  }

  private async step<R extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<R>> {
    // Not prepared by name: such a statement would keep the plan that it got while the table was empty.
    const query = { text, values: [...values], query_timeout: this.timeoutMs };
    try {
      return await this.pool.query<R>(query);
    } catch (error) {
      throw new CallStoreUnavailable(error);
    }
  }
}

function holdOf({ rows: [row] }: pg.QueryResult<HoldRow>): Hold {
  if (row?.held) return 'held';
  return row?.isThere ? 'taken_over' : 'gone';
}
