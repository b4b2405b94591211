import { DelayedError, WaitingError } from 'bullmq';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { sqlStateOf } from '../database/sql-state.js';
import { type Ids } from '../core/ids.js';
import { isOutage, StoreUnavailable } from '../database/store-unavailable.js';
import { withTimeout } from '../core/time-limit.js';
import { inSpan } from '../core/tracing.js';
import { type DeadLetters } from './dead-letters.js';
import { FinalError, type JobKind } from './job-kind.js';
import { nextTier, type RetryPolicy } from './retry-policy.js';
import { delayInPlace, type JobInHand } from './queue-backend.js';
import { errorText, failed, type QueuedJob, queuedJobOf, type RetryHistory } from './queued-job.js';
import { entryOf, type Queues } from './queues.js';

/** The result of one run of a job. `postponed`: nothing was decided, and it is tried again at the same tier. */
export type Outcome = 'done' | 'retried' | 'dead' | 'postponed';

interface JobRunnerOptions {
  readonly kinds: ReadonlyMap<string, JobKind>;
  readonly retryPolicies: ReadonlyMap<string, RetryPolicy>;
  readonly queues: Queues;
  readonly deadLetters: Pick<DeadLetters, 'deadLetter'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly logger: Logger;
  /** The longest that a handler may take; then it counts as failed, and its signal fires. */
  readonly longestRunMs: number;
  readonly onOutcome: (kind: string, outcome: Outcome) => void;
}

/** A job is dead after so many runs during which its process died or froze. */
const MAX_STALLS = 3;
const GIVE_BACK_MS = 1_000;

/** Tells BullMQ that the job stays in its queue and is tried again soon. Contains nothing of the thrown error. */
class Postponed extends Error {
  override readonly name = 'Postponed';
}

/** Runs one job and decides what follows: done, the next tier of its retry policy, or the dead letters. */
export class JobRunner {
  private readonly stopping = new AbortController();
  private readonly inHand = new Map<JobInHand, { readonly token: string; readonly ended: Promise<void> }>();

  constructor(private readonly options: JobRunnerOptions) {}

  /** Fires the handlers' signals; jobs that throw from now on return to the queue unchanged. */
  stop(): void {
    this.stopping.abort(new Error('stopping'));
  }

  /** Resolves when no job is running. Jobs that still run after `graceMs` return to the queue. */
  async drain(graceMs: number): Promise<void> {
    const { clock, logger } = this.options;
    const ended = Promise.all([...this.inHand.values()].map((run) => run.ended));
    const left = await withTimeout(clock, graceMs, 'jobs in hand', ended).then(
      () => [],
      () => [...this.inHand],
    );
    for (const [job, { token }] of left) {
      logger.warn({ kind: job.name, job: job.id }, 'a job outlasts the grace period and is given back');
      await withTimeout(clock, GIVE_BACK_MS, 'giving a job back', job.moveToWait(token)).catch(() => {});
    }
  }

  run(queue: string, job: JobInHand, token: string): Promise<void> {
    const run = this.attempt(queue, job, token).finally(() => this.inHand.delete(job));
    this.inHand.set(job, { token, ended: run.catch(() => {}) });
    return run;
  }

  private async attempt(queue: string, job: JobInHand, token: string): Promise<void> {
    const jobId = job.id ?? '';
    try {
      if (this.stopping.signal.aborted) await giveBack(job, token);
      await this.decide(queue, jobId, job, token);
    } catch (error) {
      if (error instanceof WaitingError || error instanceof DelayedError) throw error;
      this.options.onOutcome(job.name, 'postponed');
      this.options.logger.warn({ kind: job.name, job: jobId, err: error }, 'a job is tried again in place');
      throw new Postponed('tried again in place');
    }
  }

  private async decide(queue: string, jobId: string, job: JobInHand, token: string): Promise<void> {
    const { kinds, onOutcome } = this.options;
    const queued = queuedJobOf(job.data);
    const kind = kinds.get(job.name);
    if (!kind)
      return this.deadLetter(job.name, jobId, queued, 'kind_unknown', 'no kind of this name is known');
    if (job.stalledCounter >= MAX_STALLS) {
      const text = `in hand ${job.stalledCounter} times when its process ended or froze`;
      return this.deadLetter(kind.name, jobId, queued, 'stalled', text);
    }
    try {
      await this.work(kind, queued);
      onOutcome(kind.name, 'done');
    } catch (error) {
      if (error instanceof FinalError) {
        return this.deadLetter(kind.name, jobId, queued, error.code, this.textOf(error));
      }
      if (this.stopping.signal.aborted) return giveBack(job, token);
      // An outage of the database is not the job's failure: it stays at its tier.
      if (isOutageOfStore(error)) throw error;
      await this.retry(queue, jobId, kind, queued, job, token, error);
    }
  }

  private work(kind: JobKind, { args }: QueuedJob): Promise<void> {
    const { traceparent: parent } = args;
    return inSpan(
      { name: `job ${kind.name}`, kind: 'consumer', ...(typeof parent === 'string' ? { parent } : {}) },
      () => this.runInTime(kind, args),
    );
  }

  private async runInTime(kind: JobKind, args: QueuedJob['args']): Promise<void> {
    const { clock, longestRunMs } = this.options;
    const ended = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, ended.signal]);
    try {
      await withTimeout(clock, longestRunMs, 'the job', kind.run(args, signal));
    } finally {
      ended.abort(new Error('the run is over'));
    }
  }

  private async retry(
    queue: string,
    jobId: string,
    kind: JobKind,
    queued: QueuedJob,
    job: JobInHand,
    token: string,
    error: unknown,
  ): Promise<void> {
    const { retryPolicies, queues, clock, ids, logger, onOutcome } = this.options;
    const retryPolicy = retryPolicies.get(kind.retryPolicy)!;
    const text = this.textOf(error);
    const next = nextTier(retryPolicy, tierIndex(retryPolicy, queue, queued.level), ids.random());
    if (!next) return this.deadLetter(kind.name, jobId, queued, 'exhausted', text);
    const now = clock.now();
    const story = failed(queued.story, text, now, new Date(now.getTime() + next.delayMs));
    const data = { args: queued.args, level: next.level, story };
    onOutcome(kind.name, 'retried');
    logger.info({ kind: kind.name, job: jobId, ...logged(story) }, 'a job failed and is tried again');
    if (next.queue === queue) {
      await job.updateData(data);
      await delayInPlace(job, next.delayMs, token);
      throw new DelayedError();
    }
    // First add it there, then complete it here: a crash in between runs it twice, but never loses it. Not addBulk:
    // on Postgres that creates temporary tables, too much for one job.
    const { opts } = entryOf(kind.name, jobId, data, next.delayMs);
    await queues.use(next.queue, 'a retry', (tier) => tier.add(kind.name, data, opts));
  }

  private async deadLetter(
    kind: string,
    jobId: string,
    { args, story }: QueuedJob,
    /** `exhausted`, `stalled`, `kind_unknown`, or the code of a FinalError. */
    cause: string,
    text: string,
  ): Promise<void> {
    const { deadLetters: dead, clock, logger, onOutcome } = this.options;
    const end = failed(story, text, clock.now(), null);
    const { tries, firstTriedAt, lastError: error } = end;
    const died = { tries, firstTriedAt: new Date(firstTriedAt) };
    await dead.deadLetter({ kind, jobId, args, cause, error, story: died });
    onOutcome(kind, 'dead');
    logger.warn({ kind, job: jobId, cause, ...logged(end) }, 'a job is dead');
  }

  private textOf(error: unknown): string {
    return errorText(error);
  }
}

/** The tier of a job: the one that it carries, unless the retry policy was changed meanwhile. */
function tierIndex({ tiers }: RetryPolicy, queue: string, level: number): number {
  return tiers[level]?.queue === queue ? level : tiers.findIndex((tier) => tier.queue === queue);
}

async function giveBack(job: JobInHand, token: string): Promise<never> {
  await job.moveToWait(token);
  throw new WaitingError();
}

function isOutageOfStore(error: unknown): boolean {
  if (error instanceof StoreUnavailable) return true;
  return sqlStateOf(error) !== undefined && isOutage(error);
}

function logged({ firstTriedAt, tries, lastError, nextAt }: RetryHistory): object {
  return { first_tried_at: firstTriedAt, tries, last_error: lastError, next_at: nextAt };
}
