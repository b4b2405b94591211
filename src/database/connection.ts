import { type ClientBase } from 'pg';

/**
 * Makes commits on this connection durable, whatever a role or a database says by default: what is
 * acknowledged with `synchronous_commit` off is lost when the server dies, and a commit that was
 * lost is a call to a PSP that no row knows of. More than on (remote_apply) stays as it is.
 */
export const DURABLE =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/**
 * A connection that breaks between two statements of a transaction says so by an event, which would end
 * the process where nothing listens. Its holder hears of it with the next statement.
 */
export function ignoreConnectionErrors(client: ClientBase): void {
  client.on('error', () => {});
}
