import { type Client, type ClientBase } from 'pg';
import { sqlState } from './sql-state.js';

/**
 * Makes commits on this connection durable, also where the default of the role or the database differs.
 * With `synchronous_commit` off a crash of the server loses acknowledged commits, and with them the row
 * of a call to a PSP. A stricter setting (remote_apply) is kept.
 */
export const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/** A statement, and a transaction that does nothing, take no longer, in ms. */
const LIMIT_MS = 10_000;

/**
 * Limits of a session. They are set by statements, not with the connection: a pooler refuses a parameter of the
 * connection that it does not know, and the options of a URL would take their place.
 */
export const BOUNDED = `SET statement_timeout = ${LIMIT_MS}; SET idle_in_transaction_session_timeout = ${LIMIT_MS}`;

/**
 * A connection that breaks between two statements of a transaction says so by an event, which would end
 * the process where nothing listens. Its holder hears of it with the next statement.
 */
export function ignoreConnectionErrors(client: ClientBase): void {
  client.on('error', () => {});
}

/** The function of Postgres that waits for synchronous standbys; its messages name it in every language. */
const WAIT_FOR_STANDBY = 'SyncRepWaitForLSN';

/**
 * Ends a statement with 08007 where an administrator cancelled its commit's wait for the synchronous standby: Postgres
 * answers that the commit is done, with a warning, but it is on the primary's disk alone. So the store takes it for one in
 * doubt, and no PSP is called before another commit, which waits for all before it. https://www.postgresql.org/docs/15/warm-standby.html#SYNCHRONOUS-REPLICATION
 */
export function doubtUnreplicated(client: Client): void {
  client.on('notice', ({ routine }) => {
    if (routine !== WAIT_FOR_STANDBY) return;
    const error = new Error('the wait for the synchronous standby was cancelled; the commit may be lost');
    // The statement ends with it, as with any error that the server tells.
    client.connection.emit(
      'errorMessage',
      Object.assign(error, { code: sqlState.TRANSACTION_RESOLUTION_UNKNOWN }),
    );
  });
}
