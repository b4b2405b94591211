import type pg from 'pg';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { repeat } from '../core/repeat.js';
import { withTimeout } from '../core/time-limit.js';
import { type PeriodicTask, PeriodicTaskFailed, PeriodicTaskLeases } from './periodic-task-leases.js';

export interface ScheduleTimings {
  /** How long a run that gives no sign of life keeps its lease. */
  readonly leaseMs: number;
  /** How often each process asks what is due, on average. */
  readonly tickMs: number;
}

const scheduleTimings: ScheduleTimings = { leaseMs: 15_000, tickMs: 250 };

interface SchedulesOptions {
  readonly pool: Pick<pg.Pool, 'query'>;
  /** The tasks as they are now. */
  readonly periodicTasks: () => readonly PeriodicTask[];
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid' | 'random'>;
  readonly logger: Logger;
  readonly timings?: Partial<ScheduleTimings>;
}

/**
 * Periodic tasks, one run of each at a time over all processes. Each process asks Postgres a few times a second which
 * of them are due, and leases those that no other process runs: one statement for all.
 */
export class Schedules {
  private readonly stopping = new AbortController();
  private readonly leases: PeriodicTaskLeases;
  private readonly running = new Map<string, Promise<void>>();
  private readonly ticking: Promise<void>;
  private readonly startedMs: number;
  private isDatabaseAway = false;

  constructor(private readonly options: SchedulesOptions) {
    const { clock, ids, timings } = options;
    const { leaseMs, tickMs } = { ...scheduleTimings, ...timings };
    this.leases = new PeriodicTaskLeases(options, leaseMs);
    this.startedMs = clock.monotonicMs();
    // Uneven, so that no process is always the first to ask.
    const waitMs = () => tickMs * (0.5 + ids.random());
    this.ticking = repeat(clock, this.stopping.signal, waitMs, () => this.tick());
  }

  /** Seconds by which each task is late; 0 where it is not. */
  async lags(): Promise<ReadonlyMap<string, number>> {
    const lastRuns = new Map((await this.leases.lastRuns()).map((row) => [row.name, row.sinceEndMs]));
    const lags = this.options.periodicTasks().map(({ name, everyMs }) => {
      const sinceMs = lastRuns.get(name) ?? this.aliveMs();
      return [name, Math.max(0, sinceMs - everyMs) / 1_000] as const;
    });
    return new Map(lags);
  }

  /** No new run begins. What runs has `graceMs` to end. */
  async stop(graceMs: number): Promise<void> {
    const { clock, logger } = this.options;
    this.stopping.abort(new Error('stopping'));
    await this.ticking;
    await withTimeout(clock, graceMs, 'periodic tasks', Promise.all(this.running.values())).catch(() => {
      logger.warn('a periodic task outlasts the grace period; its lease lapses');
    });
  }

  private async tick(): Promise<void> {
    const { clock, ids, logger, periodicTasks } = this.options;
    // Left to a process whose clock is sound.
    if (!clock.isTrusted()) return;
    const idle = periodicTasks().filter(({ name }) => !this.running.has(name));
    const run = ids.uuid();
    try {
      const leased = await this.leases.leaseDue(idle, run);
      for (const task of idle) if (leased.has(task.name)) this.start(task, run);
      this.isDatabaseAway = false;
    } catch (error) {
      if (!this.isDatabaseAway) logger.warn({ err: error }, 'periodic tasks wait for the database');
      this.isDatabaseAway = true;
    }
  }

  private start(task: PeriodicTask, run: string): void {
    const work = this.runLogged(task, run).finally(() => this.running.delete(task.name));
    this.running.set(task.name, work);
  }

  private async runLogged(task: PeriodicTask, run: string): Promise<void> {
    const { logger } = this.options;
    try {
      const report = await this.leases.runLeased(task, run);
      const idle = Object.values(report).every((figure) => figure === 0);
      if (!idle) logger.info({ task: task.name, ...report }, 'periodic task');
    } catch (error) {
      const err = error instanceof PeriodicTaskFailed ? error.cause : error;
      logger.error({ task: task.name, err }, 'a periodic task failed; it is tried again');
    }
  }

  private aliveMs(): number {
    return this.options.clock.monotonicMs() - this.startedMs;
  }
}
