import type pg from 'pg';
import { type Logger } from 'pino';
import { checkpoint } from '../core/checkpoint.js';
import { type Clock } from '../core/clock.js';
import { type Ids } from '../core/ids.js';
import { LeaderLock } from './leader-lock.js';
import { type JobKind } from './job-kind.js';
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from './retry-policy.js';
import { retryHistoryOf } from './queued-job.js';
import { entryOf, type Queues } from './queues.js';
import { type JobArgs } from './staged-job.entity.js';

/** Stages jobs for what is due in a module's tables. */
export interface OutboxSource {
  /** At one process at a time as a rule, in one statement. @returns how many it took */
  readonly take: (sql: Pick<pg.Pool, 'query'>) => Promise<number>;
  /** A batch with fewer rows was the last: the relay does not ask again before it is woken. */
  readonly limit: number;
}

export interface OutboxRelayTimings {
  /** How often a process that is not the leader tries to become it; up to twice that, by jitter. */
  readonly tryMs: number;
  readonly silenceMs: number;
  readonly heartbeatMs: number;
  /** The first pause after a look that found nothing more to do; each further one is twice as long. */
  readonly firstIdleMs: number;
  /** The longest of these pauses. */
  readonly longestIdleMs: number;
}

const outboxRelayTimings: OutboxRelayTimings = {
  tryMs: 1_000,
  silenceMs: 8_000,
  heartbeatMs: 2_000,
  firstIdleMs: 100,
  longestIdleMs: 5_000,
};

interface OutboxRelayOptions {
  readonly databaseUrl: string;
  readonly pool: pg.Pool;
  readonly queues: Queues;
  readonly kinds: ReadonlyMap<string, JobKind>;
  readonly retryPolicies: ReadonlyMap<string, RetryPolicy>;
  readonly outboxSources: readonly OutboxSource[];
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly logger: Logger;
  readonly timings?: Partial<OutboxRelayTimings>;
}

interface Staged {
  readonly id: string;
  readonly kind: string;
  readonly jobId: string;
  readonly args: JobArgs;
  readonly story: unknown;
  readonly notBefore: Date | null;
}

const BATCH = 500;
/** Rows wait in Postgres, where there is room, rather than in a queue that keeps them in memory. */
const MAX_WAITING = 10_000;
/** In one pass: a source that is never done must not keep staged jobs waiting. */
const MAX_SOURCE_ROUNDS = 20;
const MAX_ACTIVE = 10_000;
/** Rows that stay for a moment: their jobs are running, or the queue is full. */
const SOON_MS = 100;
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 5_000;
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Hands staged jobs to the queue: a batch is read, added to the queue under fixed ids, and then those rows are
 * deleted. No transaction is open meanwhile. After a crash in between the jobs are added again: the queue ignores
 * those that still wait, and handlers are safe to run twice.
 *
 * A job whose id is running is left for later: the run may have read its tables before the commit that staged the
 * job. A waiting job need not be added again; it reads the tables later.
 */
export class OutboxRelay {
  private readonly stopping = new AbortController();
  private readonly leaderLock: LeaderLock;
  private readonly timings: OutboxRelayTimings;
  private readonly running: Promise<void>;
  private isAway = false;

  constructor(private readonly options: OutboxRelayOptions) {
    this.timings = { ...outboxRelayTimings, ...options.timings };
    const { databaseUrl, clock } = options;
    this.leaderLock = new LeaderLock({ databaseUrl, clock, ...this.timings });
    this.running = this.run();
  }

  /** Ends after the batch in hand. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopping'));
    await this.running;
    await this.leaderLock.release();
  }

  private async run(): Promise<void> {
    const { logger, ids } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        if (await this.leaderLock.take()) {
          logger.debug('relays staged jobs from now on');
          await this.serve();
        }
      } catch (error) {
        this.warnOnce(error);
      }
      await this.pause(this.timings.tryMs * (1 + ids.random()));
    }
  }

  /** Runs until the lock is lost. */
  private async serve(): Promise<void> {
    const over = new AbortController();
    const beating = this.keepLeaderLock(over.signal);
    const { signal } = this.stopping;
    let [idleMs, backoffMs] = [this.timings.firstIdleMs, FIRST_BACKOFF_MS];
    try {
      while (!signal.aborted && this.leaderLock.holds()) {
        try {
          const { handed, left } = await this.pass();
          if (this.isAway) this.options.logger.info('staged jobs are handed over again');
          this.isAway = false;
          backoffMs = FIRST_BACKOFF_MS;
          idleMs = handed > 0 ? this.timings.firstIdleMs : Math.min(idleMs * 2, this.timings.longestIdleMs);
          await this.idle(left > 0 ? SOON_MS : idleMs, left === 0);
        } catch (error) {
          this.warnOnce(error);
          await this.pause(backoffMs);
          backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
        }
      }
    } finally {
      over.abort(new Error('no leader any more'));
      await beating;
    }
  }

  private async keepLeaderLock(signal: AbortSignal): Promise<void> {
    const { clock } = this.options;
    while (!signal.aborted) {
      await clock.sleep(this.timings.heartbeatMs, signal).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.leaderLock.keepAlive();
      } catch {
        return;
      }
    }
  }

  /** One look at all that is staged; `left` rows are to be looked at again soon. */
  private async pass(): Promise<{ handed: number; left: number }> {
    let [handed, left] = [await this.stageFromSources(), 0];
    let after = LOWEST_ID;
    while (!this.stopping.signal.aborted && this.leaderLock.holds()) {
      const batch = await this.claim(after);
      if (batch.length === 0) break;
      after = batch.at(-1)!.id;
      const deleted = await this.handOver(batch);
      handed += deleted;
      left += batch.length - deleted;
      if (batch.length < BATCH || deleted === 0) break;
    }
    return { handed, left };
  }

  private async stageFromSources(): Promise<number> {
    const { outboxSources, pool, logger } = this.options;
    let fed = 0;
    for (const { take, limit } of outboxSources) {
      try {
        for (let round = 0; round < MAX_SOURCE_ROUNDS && this.leaderLock.holds(); round++) {
          const count = await take(pool);
          fed += count;
          if (count < limit) break;
        }
      } catch (error) {
        logger.error({ err: error }, 'a source of jobs failed; it is tried again');
      }
    }
    return fed;
  }

  /** Ids are UUIDv7, so their order is that of staging. */
  private async claim(after: string): Promise<Staged[]> {
    const { rows } = await this.options.pool.query<Staged>(
      `SELECT id, kind, job_id AS "jobId", args, story, not_before AS "notBefore"
         FROM staged_jobs WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, BATCH],
    );
    return rows;
  }

  /** How many rows are dealt with and gone. */
  private async handOver(batch: readonly Staged[]): Promise<number> {
    const byQueue = new Map<string, Staged[]>();
    for (const staged of batch) {
      const queue = this.queueOf(staged.kind);
      const those = byQueue.get(queue);
      if (those) those.push(staged);
      else byQueue.set(queue, [staged]);
    }
    const done: string[] = [];
    for (const [queue, rows] of byQueue) done.push(...(await this.add(queue, rows)));
    await checkpoint('jobs:handed-over');
    if (done.length > 0) {
      await this.options.pool.query('DELETE FROM staged_jobs WHERE id = ANY($1)', [done]);
    }
    return done.length;
  }

  /** The rows that the queue has by now. */
  private async add(name: string, rows: readonly Staged[]): Promise<string[]> {
    const { queues, clock } = this.options;
    return queues.use(name, 'handing over', async (queue) => {
      const { waiting = 0 } = await queue.getJobCounts('waiting');
      if (waiting >= MAX_WAITING) return [];
      // Before anything is added: a run that begins after this reads what its job was staged with.
      const active = new Set(await queue.getRanges(['active'], 0, MAX_ACTIVE));
      const [added, kept] = [new Map<string, Staged>(), new Map<string, Staged>()];
      for (const row of rows) {
        const those = active.has(row.jobId) ? kept : added;
        const other = those.get(row.jobId);
        if (!other || timeOf(row) < timeOf(other)) those.set(row.jobId, row);
      }
      const now = clock.now().getTime();
      const entries = [...added.values()].map(({ kind, jobId, args, story, notBefore }) => {
        const delayMs = notBefore === null ? 0 : notBefore.getTime() - now;
        return entryOf(kind, jobId, { args, level: 0, story: retryHistoryOf(story) }, delayMs);
      });
      if (entries.length > 0) await queue.addBulk(entries);
      // One row is enough of several for a job that is running.
      const waits = new Set([...kept.values()].map(({ id }) => id));
      return rows.filter(({ id }) => !waits.has(id)).map(({ id }) => id);
    });
  }

  /** A kind that no module registered goes to the default queue; the runner rejects it. */
  private queueOf(kind: string): string {
    const { kinds, retryPolicies } = this.options;
    return retryPolicies.get(kinds.get(kind)?.retryPolicy ?? DEFAULT_RETRY_POLICY)!.tiers[0]!.queue;
  }

  private async idle(ms: number, mayWake: boolean): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, over.signal]);
    const asleep = this.options.clock.sleep(ms, signal).catch(() => {});
    await (mayWake ? Promise.race([asleep, this.leaderLock.nextWakeUp(signal)]) : asleep);
    over.abort(new Error('awake'));
  }

  private pause(ms: number): Promise<void> {
    return this.options.clock.sleep(ms, this.stopping.signal).catch(() => {});
  }

  /** Logged once for an outage, not for each try. */
  private warnOnce(error: unknown): void {
    if (this.isAway || this.stopping.signal.aborted) return;
    this.isAway = true;
    this.options.logger.warn({ err: error }, 'staged jobs cannot be handed over; they wait in Postgres');
  }
}

function timeOf({ notBefore }: Staged): number {
  return notBefore?.getTime() ?? -Infinity;
}
