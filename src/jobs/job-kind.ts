import { type JobArgs } from './staged-job.entity.js';

/**
 * A kind of job: how one is recognised, run, and found again when the queue has lost it. Modules register
 * their kinds with JobRegistry.
 */
export interface JobKind<Args extends JobArgs = JobArgs> {
  /** Noun and verb: `webhook.apply`. */
  readonly name: string;
  /** The name of its RetryPolicy. */
  readonly retryPolicy: string;
  /**
   * The same for everything that one run takes care of: while such a job waits in the queue, another
   * one is not added. At most 160 characters of A-Z, a-z, 0-9, `.`, `_`, `-`.
   */
  idOf(args: Args): string;
  /**
   * Does the work. It may run twice, and side by side with itself: what it changes is guarded in
   * Postgres, never by the queue. Resolves when there is nothing left to do for these args; throws
   * `FinalError` for what no retry can mend, and anything else for what one may. `signal` fires when
   * the process is stopping: what is not begun may be left, by throwing.
   */
  run(args: Args, signal: AbortSignal): Promise<void>;
  /**
   * What the tables say is due now, so that all work can be found again when the queue has lost it;
   * at most `limit`, the longest due first. Args of jobs that are in the dead letters may be among
   * them: they are left alone.
   */
  due(limit: number): Promise<readonly Args[]>;
}

/** What trying again cannot mend: the job goes to the dead letters at once. */
export class FinalError extends Error {
  override readonly name = 'FinalError';

  /** `cause` is a code that operators group by: `route_unknown`. Message and cause hold no secrets. */
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
