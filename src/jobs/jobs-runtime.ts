import type pg from 'pg';
import { type Logger } from 'pino';
import { type Registry } from 'prom-client';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { type DeadLetters } from './dead-letters.js';
import { OutboxRelay, type OutboxRelayTimings, type OutboxSource } from './outbox-relay.js';
import { type JobKind } from './job-kind.js';
import { JobMetrics } from './job-metrics.js';
import { JobRunner } from './job-runner.js';
import { DEFAULT_RETRY_POLICY, type RetryPolicy, queuesOf } from './retry-policy.js';
import { openQueueBackend, type Process, type QueueBackend } from './queue-backend.js';
import { Queues } from './queues.js';
import { QueueWorker } from './queue-worker.js';
import { type PeriodicTask } from './periodic-task-leases.js';
import { Schedules, type ScheduleTimings } from './schedules.js';
import { Sweeper } from './sweeper.js';

/** Defaults are what a service runs with; tests shorten some. */
export interface JobTimings extends OutboxRelayTimings, ScheduleTimings {
  /** How long a job stays locked without a renewal by its process. */
  readonly lockMs: number;
  /** How often to look for jobs whose lock was not renewed. */
  readonly stalledMs: number;
  readonly sweepMs: number;
  /** The longest that one run of a job may take. */
  readonly longestRunMs: number;
}

const timings = { lockMs: 15_000, stalledMs: 10_000, sweepMs: 15_000, longestRunMs: 300_000 };

interface JobsRuntimeOptions {
  readonly databaseUrl: string;
  /** Null: queues in Postgres, in the same database. */
  readonly redisUrl: string | null;
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Names a run of a periodic task by its process; absent: a lease ends by time alone. */
  readonly newLease?: () => string;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** The place of jobs that failed for good. */
  readonly deadLetters: Pick<DeadLetters, 'deadLetter'>;
  readonly kinds: readonly JobKind[];
  /** One of them is the default one. */
  readonly retryPolicies: readonly RetryPolicy[];
  /** The tasks as they are now: PSP accounts change while the process runs. */
  readonly periodicTasks: () => readonly PeriodicTask[];
  readonly outboxSources?: readonly OutboxSource[];
  /** How long running jobs may take to finish when the process stops. */
  readonly graceMs: number;
  readonly timings?: Partial<JobTimings>;
}

/** At most one log line for a queue in this time: during an outage every command fails. */
const LOG_SPACING_MS = 10_000;

/** The background work of a worker process: the relay, the queues' workers, the sweeper, the schedules. */
export class JobsRuntime {
  private running: Running | null = null;

  constructor(private readonly options: JobsRuntimeOptions) {
    check(options);
  }

  /** The database must be reachable; Redis need not be. */
  async start(): Promise<void> {
    if (this.running) throw new Error('the jobs run already');
    this.running = await begin(this.options);
  }

  /** Starts no further job; running ones finish within the grace time or return to the queue. Safe to call twice. */
  async stop(): Promise<void> {
    const { running } = this;
    this.running = null;
    await running?.stop();
  }
}

interface Running {
  stop(): Promise<void>;
}

async function begin(options: JobsRuntimeOptions): Promise<Running> {
  const { databaseUrl, redisUrl, pool, clock, ids, logger, metrics, graceMs } = options;
  const times = { ...timings, ...options.timings };
  const kinds = new Map(options.kinds.map((kind) => [kind.name, kind]));
  const retryPolicies = new Map(options.retryPolicies.map((retryPolicy) => [retryPolicy.name, retryPolicy]));
  const concurrencies = queuesOf(options.retryPolicies);
  const onError = spacedLog(logger, clock);

  const backend = await openQueueBackend({
    databaseUrl,
    redisUrl,
    clock,
    workers: concurrencies.size,
    onError: (error) => onError(error, 'connection'),
  });
  const queues = new Queues(backend, clock, onError);
  const sweeper = new Sweeper({ pool, queues, kinds, retryPolicies, logger });
  const sweeping = {
    name: 'sweeper',
    everyMs: times.sweepMs,
    runOnce: async () => ({ failed: (await sweeper.runOnce()).failed }),
  };
  const counted = new JobMetrics(metrics);
  const runner = new JobRunner({
    kinds,
    retryPolicies,
    queues,
    deadLetters: options.deadLetters,
    clock,
    ids,
    logger,
    longestRunMs: times.longestRunMs,
    onOutcome: (kind, outcome) => counted.count(kinds.has(kind) ? kind : 'unknown', outcome),
  });
  const shared = { pool, queues, clock, ids, logger, timings: options.timings ?? {} };
  const schedules = new Schedules({
    ...shared,
    ids: { uuid: options.newLease ?? (() => ids.uuid()), random: () => ids.random() },
    periodicTasks: () => [...options.periodicTasks(), sweeping],
  });
  const outboxSources = options.outboxSources ?? [];
  const enqueuer = new OutboxRelay({ ...shared, databaseUrl, kinds, retryPolicies, outboxSources });
  counted.register({ metrics, pool, queues, queueNames: [...concurrencies.keys()], schedules });

  const { lockMs, stalledMs } = times;
  const open = (queue: string, concurrency: number, process: Process) =>
    new QueueWorker({ backend, queue, concurrency, lockMs, stalledMs, process, clock, onError });
  const workers = [...concurrencies].map(([queue, concurrency]) =>
    open(queue, concurrency, (job, token) => runner.run(queue, job, token)),
  );
  logger.info({ queues: backend.name, kinds: [...kinds.keys()] }, 'jobs are taken');

  return {
    stop: async () => {
      for (const worker of workers) worker.stop();
      runner.stop();
      await Promise.all([enqueuer.stop(), runner.drain(graceMs), schedules.stop(graceMs)]);
      await Promise.all(workers.map((worker) => worker.close()));
      await closeAll(queues, backend);
    },
  };
}

async function closeAll(queues: Queues, backend: QueueBackend): Promise<void> {
  await queues.close();
  await backend.close();
}

function check({ kinds, retryPolicies, periodicTasks: tasks }: JobsRuntimeOptions): void {
  const names = new Set(retryPolicies.map(({ name }) => name));
  if (!names.has(DEFAULT_RETRY_POLICY))
    throw new RangeError(`no retry policy is called ${DEFAULT_RETRY_POLICY}`);
  for (const { name, retryPolicy } of kinds) {
    if (!names.has(retryPolicy))
      throw new RangeError(`${name} names a retry policy that is not there: ${retryPolicy}`);
  }
  for (const list of [kinds, retryPolicies, [...tasks(), { name: 'sweeper' }]]) {
    const all = list.map(({ name }) => name);
    const twice = all.find((name, n) => all.indexOf(name) !== n);
    if (twice !== undefined) throw new RangeError(`two are called ${twice}`);
  }
}

/** The message alone: errors of drivers carry their commands, and commands carry passwords. */
function spacedLog(logger: Logger, clock: Clock): (error: Error, queue: string) => void {
  const last = new Map<string, number>();
  return (error, queue) => {
    const now = clock.monotonicMs();
    if (now - (last.get(queue) ?? -Infinity) < LOG_SPACING_MS) return;
    last.set(queue, now);
    logger.warn({ queue, reason: error.message }, 'the queue is in trouble');
  };
}
