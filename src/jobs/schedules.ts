import type pg from 'pg';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { withTimeout } from '../core/time-limit.js';
import { type JobInHand } from './queue-backend.js';
import { type Queues } from './queues.js';
import { type PeriodicTask, PeriodicTaskFailed, PeriodicTaskLeases } from './periodic-task-leases.js';

export interface ScheduleTimings {
  /** How long a run that gives no sign of life keeps its lease. */
  readonly leaseMs: number;
  /** How often each process checks the schedule itself. */
  readonly watchMs: number;
}

export const scheduleTimings: ScheduleTimings = { leaseMs: 15_000, watchMs: 3_000 };

export interface SchedulesOptions {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly queues: Queues;
  readonly periodicTasks: readonly PeriodicTask[];
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly logger: Logger;
  readonly timings?: Partial<ScheduleTimings>;
}

/** The queue of the schedulers' jobs. */
export const SCHEDULES_QUEUE = 'schedules';
/** A task is overdue after three intervals and this. */
const GRACE_MS = 5_000;
const MAX_SCHEDULERS = 1_000;
/** The scheduler of a task that no process has run for so long is removed: its account or its code is gone. */
const FORGOTTEN_MS = 3_600_000;

/**
 * Periodic tasks on the queue's schedulers, one run at a time over all processes. The queue says when; a lease
 * in Postgres says which process. Each process also watches: it puts schedulers back that the queue has
 * forgotten, and runs overdue tasks by itself, so that a dead queue stops no task.
 */
export class Schedules {
  private readonly stopping = new AbortController();
  private readonly timings: ScheduleTimings;
  private readonly leases: PeriodicTaskLeases;
  private readonly tasks: ReadonlyMap<string, PeriodicTask>;
  private readonly underWay = new Set<Promise<void>>();
  private readonly watching: Promise<void>;
  private readonly startedMs: number;
  private isQueueAway = false;

  constructor(private readonly options: SchedulesOptions) {
    this.timings = { ...scheduleTimings, ...options.timings };
    this.leases = new PeriodicTaskLeases(options, this.timings.leaseMs);
    this.tasks = new Map(options.periodicTasks.map((task) => [task.name, task]));
    this.startedMs = options.clock.monotonicMs();
    this.watching = this.watch();
  }

  /** Runs the task that a job of the queue names. Ends at once while another run holds its lease. */
  async process(job: Pick<JobInHand, 'name'>): Promise<void> {
    const task = this.tasks.get(job.name);
    if (task) await this.run(task);
  }

  /** Seconds by which each task is late; 0 where it is not. */
  async lags(): Promise<ReadonlyMap<string, number>> {
    const lastRuns = new Map((await this.leases.lastRuns()).map((row) => [row.name, row.sinceEndMs]));
    const lags = [...this.tasks.values()].map(({ name, everyMs }) => {
      const sinceMs = lastRuns.get(name) ?? this.aliveMs();
      return [name, Math.max(0, sinceMs - everyMs) / 1_000] as const;
    });
    return new Map(lags);
  }

  /** No new run begins. What runs has `graceMs` to end. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort(new Error('stopping'));
    await this.watching;
    const running = Promise.all(this.underWay);
    await withTimeout(this.options.clock, graceMs, 'periodic tasks', running).catch(() => {
      this.options.logger.warn('a periodic task outlasts the grace period; its lease lapses');
    });
  }

  private run(task: PeriodicTask): Promise<void> {
    // Left to a process whose clock is sound.
    if (this.stopping.signal.aborted || !this.options.clock.isTrusted()) return Promise.resolve();
    const work = this.runUnderLease(task)
      .catch((error: unknown) => this.options.logger.error({ task: task.name, err: error }, NO_LEASE))
      .finally(() => this.underWay.delete(work));
    this.underWay.add(work);
    return work;
  }

  private async runUnderLease(task: PeriodicTask): Promise<void> {
    const { ids, logger } = this.options;
    const report = await this.leases.run(task, ids.uuid()).catch((error: unknown) => {
      if (!(error instanceof PeriodicTaskFailed)) throw error;
      logger.error({ task: task.name, err: error.cause }, 'a periodic task failed; it is tried again');
      return null;
    });
    const idle = Object.values(report ?? {}).every((figure) => figure === 0);
    if (!idle) logger.info({ task: task.name, ...report }, 'periodic task');
  }

  private async watch(): Promise<void> {
    const { clock, logger } = this.options;
    const { signal } = this.stopping;
    // A process that starts cannot know whether the chain of the schedulers still holds.
    await this.schedule([...this.tasks.values()]);
    while (!signal.aborted) {
      await clock.sleep(this.timings.watchMs, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.look();
      } catch (error) {
        logger.warn({ err: error }, 'the schedule was not looked after');
      }
    }
  }

  private async look(): Promise<void> {
    const lags = await this.lags();
    const overdue = [...this.tasks.values()].filter(
      ({ name, everyMs }) => (lags.get(name) ?? 0) * 1_000 > 2 * everyMs + GRACE_MS,
    );
    for (const task of overdue) void this.run(task);
    const missing = await this.missing();
    await this.schedule([...new Set([...overdue, ...missing])]);
  }

  /** Tasks that the queue does not know, or knows with another interval. */
  private async missing(): Promise<PeriodicTask[]> {
    try {
      const known = await this.options.queues.use(SCHEDULES_QUEUE, 'looking for schedulers', (queue) =>
        queue.getJobSchedulers(0, MAX_SCHEDULERS),
      );
      const every = new Map(known.map((scheduler) => [scheduler.key, Number(scheduler.every)]));
      this.isQueueAway = false;
      await this.removeUnknown([...every.keys()].filter((name) => !this.tasks.has(name)));
      return [...this.tasks.values()].filter(({ name, everyMs }) => every.get(name) !== everyMs);
    } catch (error) {
      this.warnOnce(error);
      return [];
    }
  }

  private async removeUnknown(unknown: readonly string[]): Promise<void> {
    if (unknown.length === 0) return;
    const lastRuns = new Map((await this.leases.lastRuns()).map((row) => [row.name, row.sinceEndMs]));
    for (const name of unknown.filter((each) => (lastRuns.get(each) ?? 0) > FORGOTTEN_MS)) {
      await this.options.queues.use(SCHEDULES_QUEUE, 'removing a scheduler', (queue) =>
        queue.removeJobScheduler(name),
      );
    }
  }

  private async schedule(tasks: readonly PeriodicTask[]): Promise<void> {
    for (const { name, everyMs } of tasks) {
      if (this.stopping.signal.aborted) return;
      try {
        await this.options.queues.use(SCHEDULES_QUEUE, 'scheduling', (queue) =>
          queue.upsertJobScheduler(
            name,
            { every: everyMs },
            {
              name,
              data: { args: {}, level: 0, story: null },
              opts: { removeOnComplete: true, removeOnFail: true },
            },
          ),
        );
      } catch (error) {
        this.warnOnce(error);
        return;
      }
    }
  }

  /** Said once for an outage. */
  private warnOnce(error: unknown): void {
    if (this.isQueueAway || this.stopping.signal.aborted) return;
    this.isQueueAway = true;
    this.options.logger.warn(
      { err: error },
      'the queue of schedules is away; what is overdue is run without',
    );
  }

  private aliveMs(): number {
    return this.options.clock.monotonicMs() - this.startedMs;
  }
}

const NO_LEASE = 'a periodic task got no lease; it is tried again';
