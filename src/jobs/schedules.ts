import type pg from 'pg';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { withTimeout } from '../core/time-limit.js';
import { type JobInHand } from './queue-backend.js';
import { type Queues } from './queues.js';
import { type PeriodicTask, PeriodicTaskFailed, PeriodicTaskLeases } from './periodic-task-leases.js';

export interface ScheduleTimings {
  /** How long a run that gives no sign of life keeps its turn. */
  readonly leaseMs: number;
  /** How often each process sees to the schedule itself. */
  readonly watchMs: number;
}

export const scheduleTimings: ScheduleTimings = { leaseMs: 15_000, watchMs: 3_000 };

export interface SchedulesOptions {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly queues: Queues;
  readonly chores: readonly PeriodicTask[];
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly logger: Logger;
  readonly timings?: Partial<ScheduleTimings>;
}

/** The queue of the schedulers' jobs. */
export const SCHEDULES_QUEUE = 'schedules';
/** A chore is overdue after three intervals and so long. */
const GRACE_MS = 5_000;
const MAX_SCHEDULERS = 1_000;
/** A scheduler of a chore that no process has run for so long is removed: its account or its code is gone. */
const FORGOTTEN_MS = 3_600_000;

/**
 * Chores on the queue's schedulers, one run at a time over all processes. The queue says when; whose turn
 * it is, a row in Postgres says. Each process also watches: it puts schedulers back that the queue has
 * forgotten, and runs what is overdue by itself, so that a dead queue stops no chore.
 */
export class Schedules {
  private readonly stopping = new AbortController();
  private readonly timings: ScheduleTimings;
  private readonly turns: PeriodicTaskLeases;
  private readonly chores: ReadonlyMap<string, PeriodicTask>;
  private readonly inHand = new Set<Promise<void>>();
  private readonly watching: Promise<void>;
  private readonly startedMs: number;
  private isQueueAway = false;

  constructor(private readonly options: SchedulesOptions) {
    this.timings = { ...scheduleTimings, ...options.timings };
    this.turns = new PeriodicTaskLeases(options, this.timings.leaseMs);
    this.chores = new Map(options.chores.map((chore) => [chore.name, chore]));
    this.startedMs = options.clock.monotonicMs();
    this.watching = this.watch();
  }

  /** What a job of the queue asks for. It ends at once while another run has the turn. */
  async process(job: Pick<JobInHand, 'name'>): Promise<void> {
    const chore = this.chores.get(job.name);
    if (chore) await this.run(chore);
  }

  /** Seconds since each chore should have been done again; 0 where it is not late. */
  async lags(): Promise<ReadonlyMap<string, number>> {
    const standings = new Map((await this.turns.standings()).map((row) => [row.name, row.sinceEndMs]));
    const lags = [...this.chores.values()].map(({ name, everyMs }) => {
      const sinceMs = standings.get(name) ?? this.aliveMs();
      return [name, Math.max(0, sinceMs - everyMs) / 1_000] as const;
    });
    return new Map(lags);
  }

  /** No new run begins. What runs has `graceMs` to end. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort(new Error('stopping'));
    await this.watching;
    const running = Promise.all(this.inHand);
    await withTimeout(this.options.clock, graceMs, 'chores in hand', running).catch(() => {
      this.options.logger.warn('a chore outlasts the grace period; its turn lapses');
    });
  }

  private run(chore: PeriodicTask): Promise<void> {
    // Left to a process whose clock is sound.
    if (this.stopping.signal.aborted || !this.options.clock.isTrusted()) return Promise.resolve();
    const work = this.turn(chore)
      .catch((error: unknown) => this.options.logger.error({ chore: chore.name, err: error }, NO_TURN))
      .finally(() => this.inHand.delete(work));
    this.inHand.add(work);
    return work;
  }

  private async turn(chore: PeriodicTask): Promise<void> {
    const { ids, logger } = this.options;
    const report = await this.turns.take(chore, ids.uuid()).catch((error: unknown) => {
      if (!(error instanceof PeriodicTaskFailed)) throw error;
      logger.error({ chore: chore.name, err: error.cause }, 'a chore failed; it is tried again');
      return null;
    });
    const idle = Object.values(report ?? {}).every((figure) => figure === 0);
    if (!idle) logger.info({ chore: chore.name, ...report }, 'chore');
  }

  private async watch(): Promise<void> {
    const { clock, logger } = this.options;
    const { signal } = this.stopping;
    // A process that starts cannot know whether the chain of the schedulers still holds.
    await this.schedule([...this.chores.values()]);
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
    const overdue = [...this.chores.values()].filter(
      ({ name, everyMs }) => (lags.get(name) ?? 0) * 1_000 > 2 * everyMs + GRACE_MS,
    );
    for (const chore of overdue) void this.run(chore);
    const missing = await this.missing();
    await this.schedule([...new Set([...overdue, ...missing])]);
  }

  /** Chores that the queue does not know of, or not so. */
  private async missing(): Promise<PeriodicTask[]> {
    try {
      const known = await this.options.queues.use(SCHEDULES_QUEUE, 'looking for schedulers', (queue) =>
        queue.getJobSchedulers(0, MAX_SCHEDULERS),
      );
      const every = new Map(known.map((scheduler) => [scheduler.key, Number(scheduler.every)]));
      this.isQueueAway = false;
      await this.forget([...every.keys()].filter((name) => !this.chores.has(name)));
      return [...this.chores.values()].filter(({ name, everyMs }) => every.get(name) !== everyMs);
    } catch (error) {
      this.troubled(error);
      return [];
    }
  }

  private async forget(unknown: readonly string[]): Promise<void> {
    if (unknown.length === 0) return;
    const standings = new Map((await this.turns.standings()).map((row) => [row.name, row.sinceEndMs]));
    for (const name of unknown.filter((each) => (standings.get(each) ?? 0) > FORGOTTEN_MS)) {
      await this.options.queues.use(SCHEDULES_QUEUE, 'removing a scheduler', (queue) =>
        queue.removeJobScheduler(name),
      );
    }
  }

  private async schedule(chores: readonly PeriodicTask[]): Promise<void> {
    for (const { name, everyMs } of chores) {
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
        this.troubled(error);
        return;
      }
    }
  }

  /** Said once for an outage. */
  private troubled(error: unknown): void {
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

const NO_TURN = 'a chore had no turn; it is tried again';
