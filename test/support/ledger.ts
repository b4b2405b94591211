import { type Pool } from 'pg';
import { type LedgerPoster } from '../../src/ledger/ledger-poster.js';
import { eventually, type TestEnvironment } from './test-environment.js';

type Sql = (text: string, values?: readonly unknown[]) => Promise<readonly object[]>;

/**
 * Passes of posters until all that is committed now is read. One pass may not be enough: a poster stops below
 * the oldest transaction of the whole server, and specs beside this one have theirs.
 */
async function passUntilRead(sql: Sql, pass: () => Promise<unknown>): Promise<void> {
  const [now] = await sql('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS end');
  await eventually(async () => {
    await pass();
    return (
      (await sql('SELECT FROM ledger_position WHERE read_below >= $1::xid8', Object.values(now!))).length > 0
    );
  }, 'the posters have read what is committed');
}

/** Posts with these posters what is committed now. Returns how many were posted. */
export async function postAll(pool: Pool, ...posters: readonly LedgerPoster[]): Promise<number> {
  let posted = 0;
  await passUntilRead(
    async (text, values = []) => (await pool.query<object>(text, [...values])).rows,
    async () => {
      for (const report of await Promise.all(posters.map((each) => each.runOnce()))) posted += report.posted;
    },
  );
  return posted;
}

/** Posts by the command what is committed now, which begins with a pass. */
export const postDue = (environment: TestEnvironment): Promise<void> =>
  passUntilRead(
    (text, values) => environment.sql(text, values),
    () => environment.command('ledger', 'balances'),
  );
