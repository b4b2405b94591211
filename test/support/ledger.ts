import { type Pool } from 'pg';
import { type LedgerPoster } from '../../src/ledger/ledger-poster.js';
import { eventually } from './test-environment.js';

/**
 * Passes of these posters until all that is committed now is read. One pass may not be enough: a poster stops below
 * the oldest transaction of the whole server, and specs beside this one have theirs. Returns how many were posted.
 */
export async function postAll(pool: Pool, ...posters: readonly LedgerPoster[]): Promise<number> {
  const { rows } = await pool.query<{ end: string }>(
    'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS end',
  );
  let posted = 0;
  await eventually(async () => {
    for (const report of await Promise.all(posters.map((each) => each.runOnce()))) posted += report.posted;
    const read = await pool.query('SELECT FROM ledger_position WHERE read_below >= $1::xid8', [rows[0]!.end]);
    return read.rows.length === 1;
  }, 'the posters have read what is committed');
  return posted;
}
