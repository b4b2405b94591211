import { type Pool, type QueryConfig } from 'pg';
import { pino } from 'pino';
import { SystemClock } from '../../src/core/clock.js';
import { DatabaseClock } from '../../src/core/database-clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { AbandonedLocks } from '../../src/database/abandoned-locks.js';
import { ProcessSession } from '../../src/database/process-session.js';
import { type FreshDatabase, freshDatabase, poolAt } from '../support/database.js';
import { eventually } from '../support/test-environment.js';

const clock = new SystemClock();
const ids = new SystemIds(clock);
const LEASE_MS = 600_000;

let database: FreshDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await freshDatabase();
  pool = poolAt(database.url, { max: 2 });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** Looks for abandoned locks while `work` runs, which sees how often each question was asked. */
async function whileLooking(work: (asked: { alive: number; locks: number }) => Promise<void>): Promise<void> {
  const asked = { alive: 0, locks: 0 };
  const counted = {
    query: (query: QueryConfig) => {
      if (query.text.includes('holders')) asked.locks += 1;
      else if (query.text.includes('pg_locks')) asked.alive += 1;
      return pool.query(query);
    },
  } as unknown as Pool;
  const logger = pino({ level: 'silent' });
  const locks = new AbandonedLocks({ pool: counted, clock, logger, leaseMs: LEASE_MS });
  locks.start();
  try {
    await work(asked);
  } finally {
    await locks.stop();
  }
}

/** A process that is there, with a turn at a periodic task. */
async function processWithTurn(task: string): Promise<ProcessSession> {
  const session = new ProcessSession(database.url, new DatabaseClock(clock), ids);
  await session.start();
  await pool.query(
    `INSERT INTO schedules (name, every_ms, leased_by, leased_until, started_at)
     VALUES ($1, 1000, $2, now() + $3 * interval '1 ms', now())`,
    [task, session.newToken(), LEASE_MS],
  );
  return session;
}

const isHeld = async (task: string) => {
  const { rows } = await pool.query<{ held: boolean }>(
    'SELECT leased_until > statement_timestamp() AS held FROM schedules WHERE name = $1',
    [task],
  );
  return rows[0]!.held;
};

it('ends the locks of a process that was there and is gone, and no others', async () => {
  const [dies, lives] = [await processWithTurn('of the dead'), await processWithTurn('of the living')];
  await whileLooking(async (asked) => {
    await eventually(() => asked.alive > 2, 'it has seen both');
    await dies.close();
    const before = asked.alive;
    await eventually(async () => !(await isHeld('of the dead')), 'the lock ends');
    // Found because its process was gone: the look at all locks comes ten looks apart.
    expect(asked.alive - before).toBeLessThan(9);
    expect(await isHeld('of the living')).toBe(true);
  });
  await lives.close();
});

it('ends the locks of a process that died before it looked for the first time', async () => {
  await (await processWithTurn('of the dead')).close();
  await whileLooking(async () => {
    await eventually(async () => !(await isHeld('of the dead')), 'the lock ends');
  });
});

it('reads no locks while the same processes are there', async () => {
  const session = await processWithTurn('of the living');
  await whileLooking(async (asked) => {
    await eventually(() => asked.alive >= 6 && asked.locks <= asked.alive / 2, 'most looks read no locks');
    expect(await isHeld('of the living')).toBe(true);
  });
  await session.close();
});
