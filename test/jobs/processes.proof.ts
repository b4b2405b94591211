import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JobKind } from '../../src/jobs/job-kind.js';
import { type Spawned, spawnNode } from '../support/process.js';
import { redisBinary } from '../support/redis-server.js';
import { eventually } from '../support/test-environment.js';
import { type JobRecord, gate, JobsEnvironment, names, quick } from './jobs-environment.js';
import { inTurn } from '../support/turns.js';

const backends = redisBinary ? (['postgres', 'redis'] as const) : (['postgres'] as const);
const ENQUEUES = /relays staged jobs from now on/;

describe.each(inTurn(backends))('processes that work on jobs, with queues in %s', (backend) => {
  let environment: JobsEnvironment;
  let children: Spawned[];
  beforeEach(async () => {
    environment = await JobsEnvironment.open(backend);
    children = [];
    await environment.pool.query('CREATE TABLE released (at timestamptz)');
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map((child) => child.exit));
    await environment.close();
  });

  async function worker(
    mode: 'hold' | 'free',
    env: Record<string, string> = {},
    preload?: string,
  ): Promise<Spawned> {
    const child = spawnNode('test/jobs/worker.child.mjs', {
      args: [environment.database.url, environment.redisUrl ?? '-', mode],
      env: { JOB_TIMINGS: JSON.stringify({ ...quick, sweepMs: 60_000 }), ...env },
      ...(preload === undefined ? {} : { preload }),
    });
    children.push(child);
    await child.waitForLine(/^ready$/);
    return child;
  }
  const release = () => environment.pool.query('INSERT INTO released VALUES (now())');
  const allDone = (count: number) =>
    eventually(async () => (await environment.count('effects')) === count, `${count} were done`);

  it('killed between handing over and deleting: handed over again, with one effect each', async () => {
    const file = join(tmpdir(), `payonce-jobs-${process.pid}-${backend}.json`);
    writeFileSync(file, JSON.stringify({ id: '1', place: 'jobs:handed-over', visit: 1, signal: 'SIGKILL' }));
    try {
      await environment.environment(environment.deeds(), names(20));
      const dying = spawnNode('test/jobs/worker.child.mjs', {
        args: [environment.database.url, environment.redisUrl ?? '-', 'hold'],
        env: { JOB_TIMINGS: JSON.stringify({ ...quick, sweepMs: 60_000 }), CHECKPOINT_FILE: file },
        preload: 'test/support/kill-at.mjs',
      });
      children.push(dying);
      expect(await dying.exit).toMatchObject({ signal: 'SIGKILL' });
      // The queue has them, and so has the table.
      expect(await environment.count('staged_jobs')).toBe(20);
      expect(await environment.count('effects')).toBe(0);
      await worker('free');
      await allDone(20);
      await eventually(async () => (await environment.count('staged_jobs')) === 0, 'no row is left');
      expect(await environment.count('dead_letters')).toBe(0);
    } finally {
      rmSync(file, { force: true });
    }
  });

  it.each(['SIGSTOP', 'SIGKILL'] as const)(
    '%s of the one that hands over: another takes over',
    async (signal) => {
      const first = await worker('free');
      await first.waitForLine(ENQUEUES);
      const second = await worker('free');
      await environment.environment(environment.deeds(), names(5, 'a'));
      await allDone(5);
      expect(second.output()).not.toMatch(ENQUEUES);
      first.kill(signal);
      await environment.environment(environment.deeds(), names(5, 'b'));
      await second.waitForLine(ENQUEUES);
      await allDone(10);
      if (signal === 'SIGKILL') return;
      // Awake again it finds that its place is taken, and works as the other one does.
      first.kill('SIGCONT');
      await environment.environment(environment.deeds(), names(20, 'c'));
      await allDone(30);
      first.kill('SIGTERM');
      expect(await first.exit).toEqual({ code: 0, signal: null });
      expect(await environment.count('dead_letters')).toBe(0);
    },
  );

  it('frozen for longer than their lock and woken: one effect, and no job is lost', async () => {
    const frozen = await worker('hold');
    await environment.environment(environment.deeds(), names(4));
    await eventually(async () => (await environment.count('runs')) === 4, 'all are in hand');
    frozen.kill('SIGSTOP');
    await worker('free');
    await allDone(4);
    await release();
    frozen.kill('SIGCONT');
    await environment.environment(environment.deeds(), names(20, 'after'));
    await allDone(24);
    frozen.kill('SIGTERM');
    expect(await frozen.exit).toEqual({ code: 0, signal: null });
    expect(await environment.count('runs')).toBeGreaterThanOrEqual(28);
    expect(await environment.count('staged_jobs')).toBe(0);
    expect(await environment.count('dead_letters')).toBe(0);
  });

  it('SIGTERM with jobs in hand: what ends in time is done, and the rest is given back', async () => {
    const stopping = await worker('hold');
    await environment.environment(environment.deeds(), names(3));
    await eventually(async () => (await environment.count('runs')) === 3, 'all are in hand');
    stopping.kill('SIGTERM');
    expect(await stopping.exit).toEqual({ code: 0, signal: null });
    expect(await environment.count('effects')).toBe(0);
    // Given back, not stalled: the next one has them as soon as it is there, long before a lock lapses.
    await environment.runtime({
      kinds: [environment.deeds()],
      timings: { lockMs: 60_000, stalledMs: 60_000, sweepMs: 60_000 },
    });
    await allDone(3);
    expect(await environment.count('runs')).toBe(6);
  });
});

describe.each(backends)('a runtime that stops, with queues in %s', (backend) => {
  it('lets what is in hand end, and begins nothing new', async () => {
    const environment = await JobsEnvironment.open(backend);
    try {
      const [begun, go] = [gate(), gate()];
      const told: boolean[] = [];
      const deed = environment.deeds('deed.do', async () => {
        begun.open();
        await go.opened;
      });
      const kind: JobKind<JobRecord> = {
        ...deed,
        run: (args, signal) => {
          signal.addEventListener('abort', () => told.push(true), { once: true });
          return deed.run(args, signal);
        },
      };
      const one = { name: 'default', tiers: [{ queue: 'default-now', delayMs: 0, concurrency: 1 }] };
      const runtime = await environment.runtime({ kinds: [kind], retryPolicies: [one] });
      await environment.environment(kind, names(3));
      await begun.opened;
      const stopped = runtime.stop();
      await eventually(() => told.length === 1, 'the handler is told');
      go.open();
      await stopped;
      expect(await environment.count('effects')).toBe(1);
      expect(await environment.count('runs')).toBe(1);
    } finally {
      await environment.close();
    }
  });

  it('makes a dead letter of a job that was in hand three times when its process ended', async () => {
    const environment = await JobsEnvironment.open(backend);
    const children: Spawned[] = [];
    try {
      await environment.pool.query('CREATE TABLE released (at timestamptz)');
      await environment.environment(environment.deeds(), ['killer', 'other']);
      for (let life = 1; life <= 3; life++) {
        const child = spawnNode('test/jobs/worker.child.mjs', {
          args: [environment.database.url, environment.redisUrl ?? '-', 'hold'],
          env: { JOB_TIMINGS: JSON.stringify({ ...quick, sweepMs: 60_000 }) },
        });
        children.push(child);
        await eventually(async () => (await environment.runsOf('killer')) === life, `life ${life}`);
        child.kill('SIGKILL');
        await child.exit;
      }
      await environment.runtime({ kinds: [environment.deeds()] });
      const dead = () =>
        environment.pool
          .query("SELECT cause FROM dead_letters WHERE job_id = 'deed.do.killer'")
          .then(({ rows }) => rows as object[]);
      await eventually(async () => (await dead()).length === 1, 'it is dead');
      expect(await dead()).toEqual([{ cause: 'stalled' }]);
      expect(await environment.runsOf('killer')).toBe(3);
    } finally {
      for (const child of children) child.kill('SIGKILL');
      await environment.close();
    }
  });
});
