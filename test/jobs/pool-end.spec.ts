import { Client } from 'pg';
import { poolTerminator } from '../../src/jobs/queue-backend.js';
import { SystemClock } from '../../src/core/clock.js';
import { freshDatabase, poolAt } from '../support/database.js';
import { eventually } from '../support/test-environment.js';

const clock = new SystemClock();

it('a pool ends in time, though one connection is never given back', async () => {
  const database = await freshDatabase();
  const onlooker = new Client({ connectionString: database.url });
  await onlooker.connect();
  const pool = poolAt(database.url, { application_name: 'kept' });
  const end = poolTerminator(pool, clock);
  const connections = async () => {
    const { rows } = await onlooker.query("SELECT 1 FROM pg_stat_activity WHERE application_name = 'kept'");
    return rows.length;
  };
  try {
    const kept = await pool.connect();
    kept.on('error', () => {});
    await kept.query('LISTEN something');
    await pool.query('SELECT 1');
    expect(await connections()).toBe(2);
    const fromMs = clock.monotonicMs();
    await end();
    expect(clock.monotonicMs() - fromMs).toBeLessThan(3_000);
    await eventually(async () => (await connections()) === 0, 'no connection is left');
  } finally {
    await onlooker.end();
    await database.drop();
  }
});
