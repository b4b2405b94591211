import { type Clock } from '../core/clock.js';
import { withTimeout } from '../core/time-limit.js';
import { type JobQueue, type QueueBackend } from './queue-backend.js';
import { type QueuedJob } from './queued-job.js';

/** The queue cannot be reached now. The caller tries again later; no data is lost. */
class QueueUnavailable extends Error {
  override readonly name = 'QueueUnavailable';
}

const CALL_TIMEOUT_MS = 10_000;
/** After an error that is not the job's fault: tries it again at the same tier, without counting a try. */
const RETRY_HERE_MS = 5_000;
const CLOSE_TIMEOUT_MS = 2_000;

/** One job as a queue takes it. A job that is there already by this id is left as it is. */
export function entryOf(kind: string, jobId: string, data: QueuedJob, delayMs: number) {
  return {
    name: kind,
    data,
    opts: {
      jobId,
      delay: Math.max(0, Math.ceil(delayMs)),
      // Histories are in our own tables: a done or dead job leaves no trace in the queue, and its id is free for
      // the next one.
      removeOnComplete: true,
      removeOnFail: true,
      // The retry policy says how often it is tried. A job leaves the queue as done, or not at all.
      attempts: 1_000_000,
      backoff: { type: 'fixed', delay: RETRY_HERE_MS },
    },
  };
}

/** The queues of this process, each opened when it is needed first. Every call ends in time. */
export class Queues {
  private readonly open = new Map<string, JobQueue>();

  constructor(
    private readonly backend: QueueBackend,
    private readonly clock: Clock,
    private readonly onError: (error: Error, queue: string) => void,
  ) {}

  /** @throws QueueUnavailable, TimedOut, or what the backend throws */
  async use<T>(name: string, what: string, work: (queue: JobQueue) => Promise<T>): Promise<T> {
    if (!this.backend.isUp()) throw new QueueUnavailable(`${this.backend.name} is away`);
    return withTimeout(this.clock, CALL_TIMEOUT_MS, what, this.ready(name).then(work));
  }

  private async ready(name: string): Promise<JobQueue> {
    let queue = this.open.get(name);
    if (!queue) {
      queue = this.backend.queue(name, (error) => this.onError(error, name));
      this.open.set(name, queue);
    }
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      // BullMQ never recovers from a failed start; the next call starts anew.
      if (this.open.get(name) === queue) this.open.delete(name);
      queue.close().catch(() => {});
      throw error;
    }
  }

  async close(): Promise<void> {
    const closing = [...this.open.values()].map((queue) =>
      withTimeout(this.clock, CLOSE_TIMEOUT_MS, 'closing a queue', queue.close()).catch(() => {}),
    );
    this.open.clear();
    await Promise.all(closing);
  }
}
