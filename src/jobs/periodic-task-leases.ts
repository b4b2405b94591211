import type pg from 'pg';
import { type Clock } from '../core/clock.js';

/** A periodic task: one run of it, and its interval. */
export interface PeriodicTask {
  readonly name: string;
  readonly everyMs: number;
  /** Returns what the pass did, for the log; an all-zero report is not worth a line. */
  runOnce(): Promise<object>;
}

/** The pass itself failed; `cause` is what it threw. */
export class PeriodicTaskFailed extends Error {
  override readonly name = 'PeriodicTaskFailed';
}

/** When a periodic task last ran, by the database's clock. */
interface LastRun {
  readonly name: string;
  /** Since its last run ended; null: it never ran to an end. */
  readonly sinceEndMs: number | null;
}

/** How long a run that gives no sign of life keeps its lease. */
const LEASE_MS = 15_000;

/**
 * Joined to a statement, it lets the statement's commit not wait for the disk. A crash of the server may then lose a lease,
 * and a task runs again too early: each guards its own changes. Most flushes of an idle installation were these.
 */
const UNFLUSHED = "(SELECT set_config('synchronous_commit', 'off', true)) unflushed";

/**
 * One run of a periodic task at a time over all processes: a row for each task, which a run leases, renews and
 * releases by conditional updates that the database's clock decides. A process that freezes loses its lease.
 */
export class PeriodicTaskLeases {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly deps: { readonly pool: Pick<pg.Pool, 'query'>; readonly clock: Clock },
    private readonly leaseMs: number = LEASE_MS,
  ) {}

  async lastRuns(): Promise<LastRun[]> {
    const { rows } = await this.deps.pool.query<LastRun>(
      `SELECT name, (extract(epoch FROM clock_timestamp() - ended_at) * 1000)::float8 AS "sinceEndMs"
         FROM schedules`,
    );
    return rows;
  }

  /**
   * Leases those of the tasks that are due and that no other run holds, and returns their names. A task is due by the
   * time when its last run began, so that ten processes run it no more often than one.
   * @param run names these runs, and no others
   */
  async leaseDue(tasks: readonly PeriodicTask[], run: string): Promise<ReadonlySet<string>> {
    await this.know(tasks);
    const { rows } = await this.deps.pool.query<{ name: string }>(
      `UPDATE schedules SET leased_by = $2, leased_until = clock_timestamp() + $3 * interval '1 ms',
              started_at = clock_timestamp()
         FROM ${UNFLUSHED}
        WHERE name IN (
          SELECT name FROM schedules
           WHERE name = ANY($1) AND (leased_until IS NULL OR leased_until < clock_timestamp())
             AND (started_at IS NULL OR started_at + every_ms * interval '1 ms' <= clock_timestamp())
             FOR UPDATE SKIP LOCKED)
       RETURNING name`,
      [tasks.map(({ name }) => name), run, this.leaseMs],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Makes one pass now, due or not. null where another run holds the lease.
   * @param run names this run, and no other
   * @throws PeriodicTaskFailed
   */
  async run(task: PeriodicTask, run: string): Promise<object | null> {
    await this.know([task]);
    return (await this.lease(task.name, run)) ? this.runLeased(task, run) : null;
  }

  /** Makes one pass under a lease that is held, and renewed while it lasts. @throws PeriodicTaskFailed */
  async runLeased(task: PeriodicTask, run: string): Promise<object> {
    const { name } = task;
    const over = new AbortController();
    const renewing = this.keepRenewing(name, run, over.signal);
    let succeeded = false;
    try {
      const report = await task.runOnce();
      succeeded = true;
      return report;
    } catch (cause) {
      throw new PeriodicTaskFailed(`${name} failed`, { cause });
    } finally {
      over.abort(new Error('over'));
      await renewing;
      await this.release(name, run, succeeded);
    }
  }

  /** A run that lost its lease continues: each task guards its own changes. */
  private async keepRenewing(name: string, run: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.deps.clock.sleep(this.leaseMs / 3, signal).catch(() => {});
      if (signal.aborted || !(await this.renew(name, run).catch(() => true))) return;
    }
  }

  /** Writes down the tasks that this process has not written down before. */
  private async know(tasks: readonly PeriodicTask[]): Promise<void> {
    const fresh = tasks.filter(({ name, everyMs }) => this.known.get(name) !== everyMs);
    if (fresh.length === 0) return;
    await this.deps.pool.query(
      `INSERT INTO schedules AS s (name, every_ms) SELECT * FROM unnest($1::text[], $2::int[])
       ON CONFLICT (name) DO UPDATE SET every_ms = EXCLUDED.every_ms WHERE s.every_ms <> EXCLUDED.every_ms`,
      [fresh.map(({ name }) => name), fresh.map(({ everyMs }) => everyMs)],
    );
    for (const { name, everyMs } of fresh) this.known.set(name, everyMs);
  }

  /** False while another run holds the lease. */
  private async lease(name: string, run: string): Promise<boolean> {
    const { rowCount } = await this.deps.pool.query(
      `UPDATE schedules SET leased_by = $2, leased_until = clock_timestamp() + $3 * interval '1 ms',
              started_at = clock_timestamp()
         FROM ${UNFLUSHED}
        WHERE name = $1 AND (leased_until IS NULL OR leased_until < clock_timestamp())`,
      [name, run, this.leaseMs],
    );
    return rowCount === 1;
  }

  /** False where the lease was lost. */
  private async renew(name: string, run: string): Promise<boolean> {
    const { rowCount } = await this.deps.pool.query(
      `UPDATE schedules SET leased_until = clock_timestamp() + $3 * interval '1 ms'
         FROM ${UNFLUSHED}
        WHERE name = $1 AND leased_by = $2`,
      [name, run, this.leaseMs],
    );
    return rowCount === 1;
  }

  /** A run that failed counts as one too, so that it is not repeated without a pause. */
  private async release(name: string, run: string, succeeded: boolean): Promise<void> {
    await this.deps.pool.query(
      `UPDATE schedules
          SET leased_by = NULL, leased_until = NULL, ended_at = clock_timestamp(),
              failures = CASE WHEN $3 THEN 0 ELSE failures + 1 END
         FROM ${UNFLUSHED}
        WHERE name = $1 AND leased_by = $2`,
      [name, run, succeeded],
    );
  }
}
