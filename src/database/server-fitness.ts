import { type Pool, type PoolClient } from 'pg';

/** Postgres 15: the oldest whose SQL the migrations use. */
const OLDEST_VERSION_NUM = 150_000;
/** A server that is slower than this is not judged; a pooler with a single connection would never answer. */
const ANSWER_WITHIN_MS = 5_000;
const ROUNDS = 3;

export interface ServerFacts {
  /** `server_version_num`: 150018 is Postgres 15.18. */
  readonly versionNum: number;
  readonly version: string;
  readonly isStandby: boolean;
  /** New transactions may not write. */
  readonly isReadOnly: boolean;
  /** A connection keeps its session between transactions. */
  readonly keepsSessions: boolean;
}

/** Why a start on this server is refused, as the end of a sentence about it; null if it is fit. */
export function unfitBecause(server: ServerFacts, writes: boolean): string | null {
  if (server.versionNum < OLDEST_VERSION_NUM)
    return `is Postgres ${server.version}: Payonce needs 15 or newer`;
  if (!server.keepsSessions) {
    return (
      'is behind a pooler in transaction mode, which gives each transaction another session, so that locks, ' +
      'notifications and settings of a session are lost. Use its session mode (PgBouncer: pool_mode = session), or ' +
      'connect to Postgres itself (docs/operations.md)'
    );
  }
  if (!writes) return null;
  if (server.isStandby) return 'is a standby, which takes no writes: let DATABASE_URL lead to the primary';
  if (server.isReadOnly) {
    return (
      'takes no writes (default_transaction_read_only is on), as managed databases do while they are moved or their disk ' +
      'is full: start again when it does'
    );
  }
  return null;
}

/** Needs two connections of the pool. */
export async function serverFactsOf(pool: Pool): Promise<ServerFacts> {
  const [client, other] = [await pool.connect(), await pool.connect()];
  let keepsSessions = false;
  try {
    keepsSessions = await keepsSession(client, other);
    const { rows } = await client.query<Omit<ServerFacts, 'keepsSessions'>>(
      `SELECT current_setting('server_version_num')::int AS "versionNum", current_setting('server_version') AS version,
              pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only')::bool AS "isReadOnly"`,
    );
    return { ...rows[0]!, keepsSessions };
  } finally {
    // A transaction of a pooler ends with its connection.
    client.release(!keepsSessions);
    other.release(!keepsSessions);
  }
}

/**
 * Whether each of two connections answers from a session of its own, while one has a transaction open and after. A pooler
 * gives a transaction the session that was used last, as a rule: what one round does not show, the next one does.
 */
async function keepsSession(client: PoolClient, other: PoolClient): Promise<boolean> {
  const [own, others] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < ROUNDS; round++) {
    own.add(await sessionOf(client));
    await other.query('BEGIN');
    others.add(await sessionOf(other));
    const meanwhile = await sessionOf(client).catch(() => null);
    await other.query('ROLLBACK');
    if (meanwhile === null) return true;
    own.add(meanwhile);
    if (own.size > 1 || others.size > 1 || others.has(meanwhile)) return false;
  }
  return true;
}

async function sessionOf(client: PoolClient): Promise<number> {
  const question = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: ANSWER_WITHIN_MS };
  const { rows } = await client.query<{ pid: number }>(question);
  return rows[0]!.pid;
}
