import { type JobArgs } from './staged-job.entity.js';

/**
 * A kind of job: its identity, its handler, and how to find due jobs when the queue has lost them. Modules register
 * their kinds with JobRegistry.
 */
export interface JobKind<Args extends JobArgs = JobArgs> {
  /** Noun and verb: `webhook.apply`. */
  readonly name: string;
  /** The name of its RetryPolicy. */
  readonly retryPolicy: string;
  /**
   * The same id for all work that one run does: while such a job waits in the queue, another one is not added. At
   * most 160 characters of A-Z, a-z, 0-9, `.`, `_`, `-`.
   */
  idOf(args: Args): string;
  /**
   * Does the work. It may run twice, also at the same time: Postgres guards its changes, never the queue. Resolves
   * when there is nothing left to do for these args; throws `FinalError` if no retry can help, any other error if
   * one may. `signal` fires when the process is stopping: the handler may leave the rest by throwing.
   */
  run(args: Args, signal: AbortSignal): Promise<void>;
  /**
   * The jobs that are due according to the tables, so that lost ones can be found again; at most `limit`, the
   * longest due first. Args of jobs that are in the dead letters may be among them: they are left alone.
   */
  due(limit: number): Promise<readonly Args[]>;
}

/** An error that no retry can fix: the job goes to the dead letters at once. */
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
