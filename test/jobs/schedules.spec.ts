import { SystemIds } from '../../src/core/ids.js';
import { type PeriodicTask, PeriodicTaskLeases } from '../../src/jobs/periodic-task-leases.js';
import { freshDatabase, poolAt } from '../support/database.js';
import { redisBinary } from '../support/redis-server.js';
import { eventually } from '../support/test-environment.js';
import { clock, gate, JobsEnvironment } from './jobs-environment.js';

const backends = redisBinary ? (['postgres', 'redis'] as const) : (['postgres'] as const);

describe.each(backends)('schedules, with queues in %s', (backend) => {
  let environment: JobsEnvironment;
  let go: ReturnType<typeof gate>;
  beforeEach(async () => {
    environment = await JobsEnvironment.open(backend);
    go = gate();
  });
  afterEach(() => {
    go.open();
    return environment.close();
  });

  /** Counts its runs, and how many went on at once. */
  function counting(name: string, everyMs: number, work: () => Promise<void> = () => clock.sleep(20)) {
    const seen = { runs: 0, atOnce: 0, most: 0 };
    const task: PeriodicTask = {
      name,
      everyMs,
      runOnce: async () => {
        seen.runs += 1;
        seen.atOnce += 1;
        seen.most = Math.max(seen.most, seen.atOnce);
        await work().finally(() => (seen.atOnce -= 1));
        return {};
      },
    };
    return { task, seen };
  }

  it('run one at a time over two runtimes, as often as one would', async () => {
    const { task, seen } = counting('often', 300, () => clock.sleep(200));
    for (let n = 0; n < 2; n++)
      await environment.runtime({ periodicTasks: () => [task], timings: { leaseMs: 9_000 } });
    const from = clock.monotonicMs();
    await eventually(() => seen.runs >= 8, 'it ran eight times');
    expect(seen.most).toBe(1);
    // Not twice as often for two processes.
    expect(clock.monotonicMs() - from).toBeGreaterThan(7 * 250);
    const { rows } = await environment.pool.query<{ every: number; failures: number }>(
      `SELECT every_ms AS every, failures FROM schedules WHERE name = 'often'`,
    );
    expect(rows).toEqual([{ every: 300, failures: 0 }]);
  });

  it('that are slow hold up no others, and renew their turn', async () => {
    // No pause of a busy machine outlasts this turn. It is renewed every third of it.
    const leaseMs = 9_000;
    const slow = counting('slow', 300, () => go.opened);
    const quick = counting('quick', 300);
    for (let n = 0; n < 2; n++)
      await environment.runtime({ periodicTasks: () => [slow.task, quick.task], timings: { leaseMs } });
    await eventually(() => slow.seen.runs === 1, 'the slow one began');
    const endsAfter = async (leases: number) => {
      const { rows } = await environment.pool.query<{ yes: boolean }>(
        `SELECT leased_until > started_at + $1 * interval '1 ms' AS yes FROM schedules WHERE name = 'slow'`,
        [leases * leaseMs],
      );
      return rows[0]!.yes;
    };
    const before = quick.seen.runs;
    await eventually(() => endsAfter(1.25), 'the slow one renewed its turn');
    await eventually(() => quick.seen.runs > before + 3, 'the quick one goes on');
    expect(slow.seen).toMatchObject({ runs: 1, most: 1 });
    go.open();
    await eventually(() => slow.seen.runs > 1, 'the slow one has its next turn');
  });

  it('that fail are counted and tried again', async () => {
    let fails = true;
    const { task, seen } = counting('shaky', 200, () =>
      fails ? Promise.reject(new Error('not now')) : Promise.resolve(),
    );
    await environment.runtime({ periodicTasks: () => [task] });
    const failures = () =>
      environment.pool
        .query<{ failures: number }>("SELECT failures FROM schedules WHERE name = 'shaky'")
        .then(({ rows }) => rows[0]?.failures ?? 0);
    await eventually(async () => (await failures()) >= 2, 'it failed twice');
    fails = false;
    await eventually(async () => (await failures()) === 0, 'it is well again');
    expect(seen.most).toBe(1);
  });

  it('whose holder is gone are taken over when its turn lapses', async () => {
    const { rows } = await environment.pool.query<{ lapses: Date }>(
      `INSERT INTO schedules (name, every_ms, leased_by, leased_until, started_at)
       VALUES ('held', 60000, gen_random_uuid(), clock_timestamp() + interval '2 s', clock_timestamp() - interval '1 h')
       RETURNING leased_until AS lapses`,
    );
    const { task, seen } = counting('held', 60_000);
    await environment.runtime({ periodicTasks: () => [task] });
    await eventually(() => seen.runs > 0, 'it has the turn');
    const { rows: taken } = await environment.pool.query<{ late: boolean }>(
      "SELECT started_at > $1 AS late FROM schedules WHERE name = 'held'",
      [rows[0]!.lapses],
    );
    expect(taken).toEqual([{ late: true }]);
  });

  it('begin where they are made while the process runs, and end where they are made no more', async () => {
    const [first, later] = [counting('first', 100), counting('later', 100)];
    let tasks = [first.task];
    await environment.runtime({ periodicTasks: () => tasks });
    await eventually(() => first.seen.runs > 0, 'the first one runs');
    tasks = [later.task];
    await eventually(() => later.seen.runs > 1, 'the later one runs');
    const before = first.seen.runs;
    await eventually(() => later.seen.runs > 4, 'the later one runs on');
    expect(first.seen.runs).toBeLessThanOrEqual(before + 1);
  });

  it('are late by what the metric says', async () => {
    await environment.pool.query(
      `INSERT INTO schedules (name, every_ms, leased_by, leased_until, started_at, ended_at)
       VALUES ('late', 60000, gen_random_uuid(), clock_timestamp() + interval '1 h', clock_timestamp(),
               clock_timestamp() - interval '100 s')`,
    );
    await environment.runtime({ periodicTasks: () => [counting('late', 60_000).task] });
    const lag = /payonce_schedule_lag_seconds\{chore="late"\} (\d+)/.exec(
      await environment.metrics.metrics(),
    );
    expect(Number(lag?.[1])).toBeGreaterThanOrEqual(40);
    expect(Number(lag?.[1])).toBeLessThan(60);
  });
});

it('are leased and released without waiting for the disk', async () => {
  const database = await freshDatabase();
  // One session, whose own writes of the log the server counts: a commit that waits for the disk writes it first.
  const pool = poolAt(database.url, { max: 1 });
  const flushes = async () => {
    await pool.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await pool.query<{ flushes: number }>(
      "SELECT sum(writes)::int AS flushes FROM pg_stat_get_backend_io(pg_backend_pid()) WHERE object = 'wal'",
    );
    return rows[0]!.flushes;
  };
  const during = async (work: () => Promise<unknown>) => {
    const before = await flushes();
    for (let n = 0; n < 20; n++) await work();
    return (await flushes()) - before;
  };
  const leases = new PeriodicTaskLeases({ pool, clock });
  const task = { name: 'often', everyMs: 1, runOnce: () => Promise.resolve({}) };
  const ids = new SystemIds(clock);
  try {
    await leases.run(task, ids.uuid());
    const leased = await during(async () => {
      const run = ids.uuid();
      await eventually(async () => (await leases.leaseDue([task], run)).has('often'), 'it is due');
      await leases.runLeased(task, run);
      await leases.run(task, ids.uuid());
    });
    const others = await during(() => pool.query('UPDATE schedules SET failures = failures'));
    expect(others).toBeGreaterThan(0);
    // A page that is written out flushes the log before it.
    expect(leased).toBeLessThan(others / 2);
  } finally {
    await pool.end();
    await database.drop();
  }
});
