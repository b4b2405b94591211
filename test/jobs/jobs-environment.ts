import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { type Database, openDatabase } from '../../src/database/database.js';
import { entities } from '../../src/entities.js';
import { DeadLetter } from '../../src/jobs/dead-letter.entity.js';
import { type PeriodicTask } from '../../src/jobs/periodic-task-leases.js';
import { DeadLetters } from '../../src/jobs/dead-letters.js';
import { type OutboxSource } from '../../src/jobs/outbox-relay.js';
import { type JobKind } from '../../src/jobs/job-kind.js';
import { JobsRuntime, type JobTimings } from '../../src/jobs/jobs-runtime.js';
import { type RetryPolicy, retryPolicyOf } from '../../src/jobs/retry-policy.js';
import { StagedJobs } from '../../src/jobs/staged-jobs.js';
import { openQueueBackend } from '../../src/jobs/queue-backend.js';
import { Queues } from '../../src/jobs/queues.js';
import { SystemClock } from '../../src/core/clock.js';
import { PostgresStore } from '../../src/database/commit/postgres-store.js';
import { SystemIds } from '../../src/core/ids.js';
import { createLogger } from '../../src/http/logger.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { RedisServer } from '../support/redis-server.js';

export const clock = new SystemClock();
export const ids = new SystemIds(clock);

/** Steps of half a second: a whole ladder in a moment. */
export const quickLadder = retryPolicyOf('default', [
  { delayMs: 0, concurrency: 8 },
  { delayMs: 200, concurrency: 2 },
  { delayMs: 400, concurrency: 1 },
]);

/** Everything that is seen by waiting is seen sooner. */
export const quick: Partial<JobTimings> = {
  tryMs: 200,
  silenceMs: 1_500,
  heartbeatMs: 400,
  longestIdleMs: 1_000,
  lockMs: 1_500,
  stalledMs: 700,
  sweepMs: 1_000,
  tickMs: 50,
  leaseMs: 1_500,
};

export interface JobRecord {
  readonly id: string;
  readonly [more: string]: string | number | boolean | null;
}

export interface RuntimeOptions {
  readonly kinds?: readonly JobKind[];
  readonly retryPolicies?: readonly RetryPolicy[];
  readonly periodicTasks?: () => readonly PeriodicTask[];
  readonly feeders?: readonly OutboxSource[];
  readonly timings?: Partial<JobTimings>;
  readonly graceMs?: number;
}

/** A database, a queue beside it or in it, and processes' worth of runtimes over both. */
export class JobsEnvironment {
  readonly metrics = new Registry();
  readonly log: string[] = [];
  readonly staged = new StagedJobs(clock, ids);
  private readonly runtimes: JobsRuntime[] = [];
  private readonly opened: (() => Promise<void>)[] = [];
  private otherRedisUrl: string | null = null;

  private constructor(
    readonly backend: 'postgres' | 'redis',
    readonly database: FreshDatabase,
    readonly redis: RedisServer | null,
    private readonly openDatabase: Database,
    readonly store: PostgresStore,
  ) {}

  get pool(): Pool {
    return this.openDatabase.pool;
  }

  static async open(backend: 'postgres' | 'redis'): Promise<JobsEnvironment> {
    const database = await freshDatabase();
    const redis = backend === 'redis' ? await RedisServer.start(true) : null;
    const opened = await openDatabase({
      url: database.url,
      entities,
      migrations: [],
      poolSize: 8,
      applicationName: 'jobs-stage',
    });
    const { pool } = opened;
    await pool.query(`
      CREATE TABLE deeds (id text PRIMARY KEY, done_at timestamptz);
      CREATE TABLE runs (id text NOT NULL, pid integer NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE TABLE effects (id text PRIMARY KEY)`);
    const store = new PostgresStore({
      url: database.url,
      pool,
      tenantPool: pool,
      clock,
      random: Math.random,
      lanes: 1,
    });
    return new JobsEnvironment(backend, database, redis, opened, store);
  }

  get redisUrl(): string | null {
    return this.otherRedisUrl ?? this.redis?.url ?? null;
  }

  /** For runtimes from now on. */
  useRedisUrl(url: string): void {
    this.otherRedisUrl = url;
  }

  /** As one process has it. */
  async runtime(options: RuntimeOptions = {}): Promise<JobsRuntime> {
    const runtime = new JobsRuntime({
      databaseUrl: this.database.url,
      redisUrl: this.redisUrl,
      pool: this.pool,
      clock,
      ids,
      logger: createLogger({ level: 'debug', sink: { write: (line) => void this.log.push(line) } }),
      metrics: this.runtimes.length === 0 ? this.metrics : new Registry(),
      deadLetters: new DeadLetters(
        this.openDatabase.dataSource.getRepository(DeadLetter),
        clock,
        ids,
        this.staged,
      ),
      kinds: options.kinds ?? [],
      retryPolicies: options.retryPolicies ?? [quickLadder],
      periodicTasks: options.periodicTasks ?? (() => []),
      outboxSources: options.feeders ?? [],
      graceMs: options.graceMs ?? 5_000,
      timings: { ...quick, ...options.timings },
    });
    this.runtimes.push(runtime);
    await runtime.start();
    return runtime;
  }

  /** A kind whose truth is the table `deeds`: due is what is not done, and doing it is guarded there. */
  deeds(name = 'deed.do', before: (args: JobRecord) => Promise<void> | void = () => {}): JobKind<JobRecord> {
    const { pool } = this;
    return {
      name,
      retryPolicy: 'default',
      idOf: ({ id }) => id,
      async run(args) {
        await pool.query('INSERT INTO runs (id, pid) VALUES ($1, $2)', [args.id, process.pid]);
        await before(args);
        await effect(pool, args.id);
      },
      async due(limit) {
        const { rows } = await pool.query<JobRecord>(
          'SELECT id FROM deeds WHERE done_at IS NULL ORDER BY id LIMIT $1',
          [limit],
        );
        return rows;
      },
    };
  }

  /** Deeds and their jobs in one transaction. */
  async environment(kind: JobKind<JobRecord>, names: readonly string[], rollBack = false): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      for (const id of names) {
        await client.query('INSERT INTO deeds (id) VALUES ($1)', [id]);
        await this.staged.add(client, kind, { id });
      }
      await client.query(rollBack ? 'ROLLBACK' : 'COMMIT');
    } finally {
      client.release();
    }
  }

  /** A look at the queues from outside the runtimes; closed with the environment. */
  async queues(): Promise<Queues> {
    const { redisUrl } = this;
    const shared = { databaseUrl: this.database.url, redisUrl, clock, workers: 0, onError: () => {} };
    const backend = await openQueueBackend(shared);
    const queues = new Queues(backend, clock, () => {});
    this.opened.push(async () => {
      await queues.close();
      await backend.close();
    });
    return queues;
  }

  async count(from: string): Promise<number> {
    const { rows } = await this.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${from}`);
    return rows[0]!.n;
  }

  async runsOf(id: string): Promise<number> {
    const { rows } = await this.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM runs WHERE id = $1',
      [id],
    );
    return rows[0]!.n;
  }

  async stop(): Promise<void> {
    await Promise.all(this.runtimes.map((runtime) => runtime.stop()));
  }

  async close(): Promise<void> {
    await this.stop();
    for (const close of this.opened) await close();
    await this.store.close();
    await this.redis?.stop();
    await this.openDatabase.close();
    await this.database.drop();
  }
}

/** The effect and its guard in one statement: a second run changes nothing. */
export async function effect(pool: Pick<Pool, 'query'>, id: string): Promise<void> {
  await pool.query(
    `WITH done AS (UPDATE deeds SET done_at = clock_timestamp() WHERE id = $1 AND done_at IS NULL RETURNING id)
     INSERT INTO effects SELECT id FROM done`,
    [id],
  );
}

export const names = (count: number, prefix = 'd'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(5, '0')}`);

export function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}
