import type pg from 'pg';
import { type Logger } from 'pino';
import { type Clock, type Ids } from '../kernel/index.js';
import { type JobInHand } from './queue-backend.js';
import { type Queues } from './queues.js';
import { type Chore, ChoreFailed, ChoreTurns } from './chore-turns.js';
import { within } from './time-limit.js';

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
  readonly chores: readonly Chore[];
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly logger: Logger;
  readonly timings?: Partial<ScheduleTimings>;
}

/** The queue of the schedulers' jobs. */
export const SCHEDULES_QUEUE = 'schedules';
/** A chore is overdue after three intervals and so long. */
const GRACE_MS = 5_000;
const MOST_SCHEDULERS = 1_000;

/**
 * Chores on the queue's schedulers, one run at a time over all processes. The queue says when; whose turn
 * it is, a row in Postgres says. Each process also watches: it puts schedulers back that the queue has
 * forgotten, and runs what is overdue by itself, so that a dead queue stops no chore.
 */
export class Schedules {
  private readonly stopping = new AbortController();
  private readonly timings: ScheduleTimings;
  private readonly turns: ChoreTurns;
  private readonly chores: ReadonlyMap<string, Chore>;
  private readonly inHand = new Set<Promise<void>>();
  private readonly watching: Promise<void>;
  private readonly startedMs: number;
  private isQueueAway = false;

  constructor(private readonly options: SchedulesOptions) {
    this.timings = { ...scheduleTimings, ...options.timings };
    this.turns = new ChoreTurns(options, this.timings.leaseMs);
    this.chores = new Map(options.chores.map((chore) => [chore.name, chore]));
    this.startedMs = options.clock.monotonicMs();
    this.watching = this.watch();
  }

  /** What a job of the queue asks for. It ends at once while somebody else has the turn. */
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
    await within(this.options.clock, graceMs, 'chores in hand', running).catch(() => {
      this.options.logger.warn('a chore outlasts the grace period; its turn lapses');
    });
  }

  private run(chore: Chore): Promise<void> {
    if (this.stopping.signal.aborted) return Promise.resolve();
    const work = this.turn(chore)
      .catch((error: unknown) => this.options.logger.error({ chore: chore.name, err: error }, NO_TURN))
      .finally(() => this.inHand.delete(work));
    this.inHand.add(work);
    return work;
  }

  private async turn(chore: Chore): Promise<void> {
    const { ids, logger } = this.options;
    const report = await this.turns.take(chore, ids.uuid()).catch((error: unknown) => {
      if (!(error instanceof ChoreFailed)) throw error;
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
  private async missing(): Promise<Chore[]> {
    try {
      const known = await this.options.queues.use(SCHEDULES_QUEUE, 'looking for schedulers', (queue) =>
        queue.getJobSchedulers(0, MOST_SCHEDULERS),
      );
      const every = new Map(known.map((scheduler) => [scheduler.key, Number(scheduler.every)]));
      this.isQueueAway = false;
      return [...this.chores.values()].filter(({ name, everyMs }) => every.get(name) !== everyMs);
    } catch (error) {
      this.troubled(error);
      return [];
    }
  }

  private async schedule(chores: readonly Chore[]): Promise<void> {
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
