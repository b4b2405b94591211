import { setTimeout as sleep } from 'node:timers/promises';
import { type Pool, type PoolClient } from 'pg';

/** Postgres 15: the oldest whose SQL the migrations use. */
const OLDEST_VERSION_NUM = 150_000;
/** Without a pooler another transaction delays no answer. A pooler without a free connection would let it wait. */
const ANSWER_WITHIN_MS = 2_000;

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

/** Whether a connection answers from the same session while another one has a transaction open. */
async function keepsSession(client: PoolClient, other: PoolClient): Promise<boolean> {
  const before = await sessionOf(client);
  // A pooler gives the transaction the connection that was used last.
  await other.query('BEGIN');
  await sessionOf(other);
  const asked = sessionOf(client).catch(() => null);
  const after = await Promise.race([asked, sleep(ANSWER_WITHIN_MS, null, { ref: false })]);
  await other.query('ROLLBACK');
  return after === before;
}

async function sessionOf(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}
