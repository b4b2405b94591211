import { FinalError, type JobKind } from '../../src/jobs/job-kind.js';
import { retryPolicyOf } from '../../src/jobs/retry-policy.js';
import { auditRecords } from '../../src/database/audit.js';
import { commitOf, insert } from '../../src/core/change.js';
import { redisBinary } from '../support/redis-server.js';
import { eventually } from '../support/test-environment.js';
import { clock, type JobRecord, gate, JobsEnvironment, names, quickLadder } from './jobs-environment.js';

const backends = redisBinary ? (['postgres', 'redis'] as const) : (['postgres'] as const);

describe.each(backends)('jobs, with queues in %s', (backend) => {
  let environment: JobsEnvironment;
  beforeEach(async () => {
    environment = await JobsEnvironment.open(backend);
  });
  afterEach(() => environment.close());

  const dead = () =>
    environment.pool
      .query('SELECT kind, job_id, args, cause, error, tries FROM dead_letters ORDER BY job_id')
      .then(({ rows }) => rows as object[]);
  /** Deeds that no sweep finds: one that looks just before a deed is done has it run once more. */
  const unswept = (...of: Parameters<JobsEnvironment['deeds']>): JobKind<JobRecord> => ({
    ...environment.deeds(...of),
    due: () => Promise.resolve([]),
  });
  const allDone = (count: number) =>
    eventually(async () => (await environment.count('effects')) === count, `${count} were done`);

  it('staged in a transaction are run once each, soon, and leave no row', async () => {
    const kind = unswept();
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, names(40));
    await allDone(40);
    expect(await environment.count('runs')).toBe(40);
    await eventually(async () => (await environment.count('staged_jobs')) === 0, 'no row is left');
    const metrics = await environment.metrics.metrics();
    expect(metrics).toContain('payonce_jobs_total{kind="deed.do",outcome="done"} 40');
    expect(metrics).toContain('payonce_jobs_staged 0');
    expect(metrics).toContain('payonce_jobs_queued{queue="default-now",state="waiting"} 0');
  });

  it('of a transaction that was rolled back are never seen', async () => {
    const kind = environment.deeds();
    await environment.runtime({ kinds: [kind], timings: { sweepMs: 60_000 } });
    await environment.environment(kind, names(5, 'gone'), true);
    await environment.environment(kind, names(5, 'kept'));
    await allDone(5);
    const { rows } = await environment.pool.query("SELECT 1 FROM runs WHERE id LIKE 'gone%'");
    expect(rows).toEqual([]);
  });

  it('of a commit are handed over by its wake-up alone', async () => {
    const kind = environment.deeds();
    await environment.pool.query("INSERT INTO deeds VALUES ('before')");
    const gateOf = (n: number) =>
      insert(auditRecords, {
        merchantId: '01900000-0000-7000-8000-000000000001',
        id: `01900000-0000-7000-8000-00000000000${n}`,
        at: clock.now(),
        actor: 'system:test',
        action: 'deed.staged',
        subject: 'deed:1',
        detail: {},
      });
    const commit = (n: number, id: string) =>
      environment.store.commit(commitOf(gateOf(n), [environment.staged.change(kind, { id })]));
    await commit(1, 'before');
    // Nobody looks by itself for a minute, once there is nothing more to do.
    const idle = { firstIdleMs: 60_000, longestIdleMs: 60_000, sweepMs: 60_000 };
    await environment.runtime({ kinds: [kind], timings: idle });
    await allDone(1);
    // Only now: the first sweep would find it due.
    await environment.pool.query("INSERT INTO deeds VALUES ('after')");
    expect(await commit(2, 'after')).toEqual({ done: true });
    await allDone(2);
  });

  it('wait for their time', async () => {
    const kind = unswept();
    await environment.runtime({ kinds: [kind], timings: { sweepMs: 60_000 } });
    await environment.pool.query("INSERT INTO deeds VALUES ('later'), ('now')");
    const from = clock.monotonicMs();
    const client = await environment.pool.connect();
    const notBefore = new Date(clock.now().getTime() + 1_500);
    await environment.staged.add(client, kind, { id: 'later' }, { notBefore });
    await environment.staged.add(client, kind, { id: 'now' });
    client.release();
    await allDone(2);
    expect(clock.monotonicMs() - from).toBeGreaterThan(1_400);
    const { rows } = await environment.pool.query('SELECT id FROM runs ORDER BY at');
    expect(rows).toEqual([{ id: 'now' }, { id: 'later' }]);
  });

  it('staged again while they run, run again: the first run may not have seen why', async () => {
    const [begun, go] = [gate(), gate()];
    const seen: number[] = [];
    const kind: JobKind<JobRecord> = {
      ...environment.deeds(),
      due: () => Promise.resolve([]),
      run: async () => {
        seen.push(await environment.count('deeds'));
        begun.open();
        await go.opened;
      },
    };
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, ['a']);
    await begun.opened;
    // Two more reasons for the same job; one more run takes care of both.
    const again: JobKind<JobRecord> = { ...kind, idOf: () => 'a' };
    await environment.environment(again, ['b', 'c']);
    await eventually(async () => (await environment.count('staged_jobs')) === 1, 'one of them waits');
    go.open();
    await eventually(() => seen.length === 2, 'it runs again');
    expect(seen).toEqual([1, 3]);
    await eventually(async () => (await environment.count('staged_jobs')) === 0, 'nothing is left');
  });

  it('that fail climb the ladder with their story, and end in the dead letters', async () => {
    const times: number[] = [];
    const kind = unswept('deed.fail', () => {
      times.push(clock.monotonicMs());
      throw new Error(`no way to redis://u:hunter2@cache, try ${times.length}`);
    });
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, ['a']);
    await eventually(async () => (await dead()).length === 1, 'it is dead');
    expect(await dead()).toEqual([
      {
        kind: 'deed.fail',
        job_id: 'deed.fail.a',
        args: { id: 'a' },
        cause: 'exhausted',
        error: 'Error: no way to redis://[removed]cache, try 3',
        tries: 3,
      },
    ]);
    const { rows } = await environment.pool.query<{ apart: boolean }>(
      'SELECT first_tried_at < died_at AS apart FROM dead_letters',
    );
    expect(rows).toEqual([{ apart: true }]);
    // It is still due. The sweeper leaves it to a person.
    await clock.sleep(2_500);
    expect(times).toHaveLength(3);
    expect(environment.log.join('')).not.toContain('hunter2');
    expect(await environment.metrics.metrics()).toContain('{kind="deed.fail",outcome="retried"} 2');
  });

  it('climb within one queue, where steps share it', async () => {
    const tiers = quickLadder.tiers.map((level) => ({ ...level, queue: 'shared' }));
    const shared = { name: 'shared', tiers };
    let tries = 0;
    const fails = unswept('deed.fail', () => {
      tries += 1;
      if (tries < 3) throw new Error('not yet');
    });
    await environment.runtime({
      kinds: [{ ...fails, retryPolicy: 'shared' }],
      retryPolicies: [quickLadder, shared],
    });
    await environment.environment({ ...fails, retryPolicy: 'shared' }, ['a']);
    await allDone(1);
    expect(tries).toBe(3);
    expect(await dead()).toEqual([]);
  });

  it('that cannot be mended are dead at once, under their own cause', async () => {
    const kind = unswept('deed.final', () => {
      throw new FinalError('route_unknown', 'there is no such route');
    });
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, ['a']);
    await eventually(async () => (await dead()).length === 1, 'it is dead');
    expect(await dead()).toMatchObject([{ cause: 'route_unknown', tries: 1 }]);
    expect(await environment.count('runs')).toBe(1);
  });

  it('of a kind that nobody knows are dead letters', async () => {
    await environment.runtime();
    await environment.environment(unswept('deed.gone'), ['a']);
    await eventually(async () => (await dead()).length === 1, 'it is dead');
    expect(await dead()).toMatchObject([{ cause: 'kind_unknown', job_id: 'deed.gone.a' }]);
  });

  it('that die again keep one row and their first try', async () => {
    const kind = unswept('deed.final', () => {
      throw new FinalError('broken', 'it is broken');
    });
    await environment.runtime({ kinds: [kind] });
    await environment.environment(kind, ['a']);
    await eventually(async () => (await dead()).length === 1, 'it is dead');
    const firstTriedAt = new Date(Date.UTC(2026, 0, 1)).toISOString();
    const client = await environment.pool.connect();
    const story = { firstTriedAt, tries: 7, lastError: 'x', nextAt: null };
    await environment.staged.add(client, kind, { id: 'a' }, { story });
    client.release();
    await eventually(
      async () => (await environment.count('dead_letters WHERE tries = 8')) === 1,
      'it died again',
    );
    const { rows } = await environment.pool.query<{ at: Date }>(
      'SELECT first_tried_at AS at FROM dead_letters',
    );
    expect(rows.map(({ at }) => at.toISOString())).toEqual([firstTriedAt]);
  });

  it('that are poison stand in nobody’s way', async () => {
    const poisoned = gate();
    const upstairs = new Set<string>();
    const deeds = unswept('deed.mixed');
    // The first round of poison fails at once, and hangs in its second.
    const run: JobKind<JobRecord>['run'] = async (args, signal) => {
      if (!args.id.startsWith('p')) return deeds.run(args, signal);
      if (upstairs.has(args.id)) await poisoned.opened;
      upstairs.add(args.id);
      throw new Error('poison');
    };
    // One at a time up there, where the poison waits: eight at a time down here.
    const steps = [
      { delayMs: 0, concurrency: 8 },
      { delayMs: 1, concurrency: 1 },
    ];
    const kind = { ...deeds, run };
    await environment.runtime({ kinds: [kind], retryPolicies: [retryPolicyOf('default', steps)] });
    await environment.environment(kind, names(20, 'p'));
    await eventually(() => upstairs.size === 20, 'the poison is upstairs');
    await environment.environment(kind, names(50, 'fresh'));
    await allDone(50);
    poisoned.open();
  });

  it('that feeders make are handed over in the same pass', async () => {
    const kind = unswept();
    const take = async (tx: { query(text: string, values?: unknown[]): Promise<unknown> }) => {
      const taken = (await tx.query('SELECT id FROM deeds WHERE id NOT IN (SELECT id FROM fed) LIMIT 3')) as {
        rows: JobRecord[];
      };
      for (const { id } of taken.rows) {
        await tx.query('INSERT INTO fed VALUES ($1)', [id]);
        await environment.staged.add(tx, kind, { id });
      }
      return taken.rows.length;
    };
    await environment.pool.query('CREATE TABLE fed (id text PRIMARY KEY)');
    await environment.pool.query("INSERT INTO deeds SELECT 'f' || n FROM generate_series(1, 8) n");
    await environment.runtime({ kinds: [kind], feeders: [{ take, limit: 3 }], timings: { sweepMs: 60_000 } });
    await allDone(8);
    expect(await environment.count('runs')).toBe(8);
  });
});

describe('a runtime', () => {
  it('refuses what would only show when a job fails', async () => {
    const environment = await JobsEnvironment.open('postgres');
    try {
      const kind = environment.deeds();
      await expect(environment.runtime({ kinds: [{ ...kind, retryPolicy: 'none' }] })).rejects.toThrow(
        /not there: none/,
      );
      await expect(environment.runtime({ kinds: [kind, kind] })).rejects.toThrow('two are called deed.do');
      await expect(environment.runtime({ retryPolicies: [] })).rejects.toThrow(
        'no retry policy is called default',
      );
    } finally {
      await environment.close();
    }
  });
});
