import { type JobKind } from '../../src/jobs/job-kind.js';
import { describeWithRedis } from '../support/redis-server.js';
import { eventually } from '../support/test-environment.js';
import { clock, type JobRecord, gate, JobsEnvironment, names } from './jobs-environment.js';

/** A real redis-server is emptied, killed, made read only and filled while jobs are staged. */
describeWithRedis('Redis in trouble while jobs are staged', () => {
  let environment: JobsEnvironment;
  beforeEach(async () => {
    environment = await JobsEnvironment.open('redis');
  });
  afterEach(() => environment.close());

  const allDone = (count: number) =>
    eventually(async () => (await environment.count('effects')) === count, `${count} were done`);
  const nothingLeft = async () => {
    await eventually(async () => (await environment.count('staged_jobs')) === 0, 'no row is left');
    expect(await environment.count('dead_letters')).toBe(0);
  };
  const redis = () => environment.redis!;
  const ticking = () => {
    let runs = 0;
    const task = { name: 'tick', everyMs: 300, runOnce: () => Promise.resolve({ runs: (runs += 1) }) };
    return { task, runs: () => runs };
  };

  it('emptied: all that is due runs again, once in effect, and the schedules go on', async () => {
    const go = gate();
    const kind = environment.deeds('deed.do', () => go.opened);
    const { task, runs } = ticking();
    await environment.runtime({ kinds: [kind], periodicTasks: () => [task] });
    await environment.environment(kind, names(60));
    await eventually(async () => (await environment.count('staged_jobs')) === 0, 'the queue has them');
    await redis().command('FLUSHALL');
    const before = runs();
    go.open();
    await allDone(60);
    await eventually(() => runs() > before + 2, 'the schedules go on');
    await nothingLeft();
    expect(await environment.count('runs')).toBeLessThanOrEqual(120);
  });

  it('a retry keeps its place: the sweeper adds no second one', async () => {
    const kind: JobKind<JobRecord> = environment.deeds('deed.do', () => {
      throw new Error('never');
    });
    const waits = [
      { queue: 'default-now', delayMs: 0, concurrency: 2 },
      { queue: 'default-1h', delayMs: 3_600_000, concurrency: 1 },
    ];
    await environment.runtime({ kinds: [kind], retryPolicies: [{ name: 'default', tiers: waits }] });
    await environment.environment(kind, names(3));
    await eventually(async () => (await environment.count('runs')) === 3, 'each was tried');
    const sweeps = async () => {
      const { rows } = await environment.pool.query<{ at: Date | null }>(
        "SELECT ended_at AS at FROM schedules WHERE name = 'sweeper'",
      );
      return rows[0]?.at?.getTime() ?? 0;
    };
    let last = await sweeps();
    for (let sweep = 0; sweep < 3; sweep++) {
      await eventually(async () => (await sweeps()) > last, 'a sweep');
      last = await sweeps();
    }
    expect(await environment.count('runs')).toBe(3);
    // What is forgotten begins anew.
    await redis().command('FLUSHALL');
    await eventually(async () => (await environment.count('runs')) >= 6, 'each is tried again');
  });

  it('killed and restarted: nothing is lost, and periodic tasks did not wait for it', async () => {
    const kind = environment.deeds();
    const { task, runs } = ticking();
    await environment.runtime({ kinds: [kind], periodicTasks: () => [task] });
    await environment.environment(kind, names(20, 'a'));
    await allDone(20);
    await redis().kill();
    await environment.environment(kind, names(20, 'b'));
    const before = runs();
    await eventually(() => runs() > before, 'the task is run without Redis');
    expect(await environment.count('effects')).toBe(20);
    await redis().restart();
    await allDone(40);
    await nothingLeft();
    const complaints = environment.log.filter((line) => line.includes('they wait in Postgres'));
    expect(complaints).toHaveLength(1);
  });

  it('not there when a runtime starts: it starts, and works when Redis comes', async () => {
    const kind = environment.deeds();
    await redis().kill();
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, names(5));
    await eventually(() => environment.log.join('').includes('they wait in Postgres'), 'it says so');
    await redis().restart();
    await allDone(5);
    await nothingLeft();
  });

  it.each([
    ['read only', [['REPLICAOF', '127.0.0.1', '1']], [['REPLICAOF', 'NO', 'ONE']]],
    [
      'out of memory',
      [
        ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'],
        ['CONFIG', 'SET', 'maxmemory', '1mb'],
      ],
      [['CONFIG', 'SET', 'maxmemory', '0']],
    ],
  ])('%s in the middle of work: jobs wait in Postgres, and workers do not spin', async (_, strike, mend) => {
    const go = gate();
    const kind = environment.deeds('deed.do', () => go.opened);
    await environment.runtime({ kinds: [kind], timings: { sweepMs: 60_000 } });
    await environment.environment(kind, names(100, 'a'));
    await eventually(async () => (await environment.count('runs')) === 8, 'as many as may are in hand');
    await eventually(async () => (await environment.count('staged_jobs')) === 0, 'the queue has the others');
    for (const [command, ...args] of strike) await redis().command(command!, ...args);
    go.open();
    await environment.environment(kind, names(20, 'b'));
    await eventually(() => environment.log.join('').includes('they wait in Postgres'), 'it says so');
    await redis().command('CONFIG', 'RESETSTAT');
    await clock.sleep(2_000);
    const stats = String(await redis().command('INFO', 'stats'));
    const commands = Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]);
    // Nothing would keep them from 36,000 a second.
    expect(commands).toBeLessThan(5_000);
    expect(await environment.count('staged_jobs')).toBe(20);
    for (const [command, ...args] of mend) await redis().command(command!, ...args);
    await allDone(120);
    await nothingLeft();
  });

  it('with a password: it stands in no line of the log', async () => {
    await redis().command('CONFIG', 'SET', 'requirepass', 'hunter2');
    const kind = environment.deeds();
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, names(1));
    await eventually(() => environment.log.join('').includes('NOAUTH'), 'it says what is wrong');
    environment.useRedisUrl(redis().url.replace('//', '//default:wrong-hunter3@'));
    await environment.runtime({ kinds: [kind] });
    await eventually(() => environment.log.join('').includes('WRONGPASS'), 'it says what is wrong');
    expect(environment.log.join('')).not.toMatch(/hunter/);
  });
});

describe('Postgres that ends its connections, with queues in it', () => {
  it('loses no job, and workers go on', async () => {
    const environment = await JobsEnvironment.open('postgres');
    try {
      const kind = environment.deeds();
      await environment.runtime({ kinds: [kind] });
      await environment.environment(kind, names(10, 'a'));
      await eventually(async () => (await environment.count('effects')) === 10, 'all were done');
      await environment.environment(kind, names(200, 'b'));
      for (let strike = 0; strike < 3; strike++) {
        await environment.pool
          .query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
              WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          )
          .catch(() => {});
        await clock.sleep(300);
      }
      await environment.environment(kind, names(10, 'c'));
      await eventually(async () => (await environment.count('effects')) === 220, 'all were done');
      await eventually(async () => (await environment.count('staged_jobs')) === 0, 'no row is left');
      expect(await environment.count('dead_letters')).toBe(0);
    } finally {
      await environment.close();
    }
  });
});
