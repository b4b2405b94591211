import type pg from 'pg';
import { type Clock } from '../core/clock.js';
import { ScheduleLease, type Standing } from './schedule-lease.js';

/** Work that is done again and again: one pass of it, and how often. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMs: number;
  /** Returns what the pass did, for the log; an all-zero report is not worth a line. */
  runOnce(): Promise<object>;
}

/** The pass itself failed; `cause` is what it threw. */
export class PeriodicTaskFailed extends Error {
  override readonly name = 'ChoreFailed';
}

/** How long a run that gives no sign of life keeps its turn. */
export const TURN_MS = 15_000;

/** One run of a chore at a time over all processes. */
export class PeriodicTaskLeases {
  private readonly leases: ScheduleLease;

  constructor(
    private readonly deps: { readonly pool: Pick<pg.Pool, 'query'>; readonly clock: Clock },
    private readonly turnMs: number = TURN_MS,
  ) {
    this.leases = new ScheduleLease(deps.pool, turnMs);
  }

  standings(): Promise<Standing[]> {
    return this.leases.standings();
  }

  /**
   * Makes one pass under a turn that is renewed while it lasts. null where another run has the turn.
   * @param run names this run, and no other
   * @throws ChoreFailed
   */
  async take(chore: PeriodicTask, run: string): Promise<object | null> {
    const { name, everyMs } = chore;
    if (!(await this.leases.take(name, everyMs, run))) return null;
    const over = new AbortController();
    const keeping = this.keep(name, run, over.signal);
    let succeeded = false;
    try {
      const report = await chore.runOnce();
      succeeded = true;
      return report;
    } catch (cause) {
      throw new PeriodicTaskFailed(`${name} failed`, { cause });
    } finally {
      over.abort(new Error('over'));
      await keeping;
      await this.leases.end(name, run, succeeded);
    }
  }

  /** One that lost its turn goes on all the same: what a chore does is guarded where it is done. */
  private async keep(name: string, run: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.deps.clock.sleep(this.turnMs / 3, signal).catch(() => {});
      if (signal.aborted || !(await this.leases.renew(name, run).catch(() => true))) return;
    }
  }
}
