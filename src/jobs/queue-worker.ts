import { type Clock } from '../core/clock.js';
import { withTimeout } from '../core/time-limit.js';
import { type JobWorker, type Process, type QueueBackend } from './queue-backend.js';

interface QueueWorkerOptions {
  readonly backend: QueueBackend;
  readonly queue: string;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly process: Process;
  readonly clock: Clock;
  readonly onError: (error: Error, queue: string) => void;
}

/** After an error the worker takes nothing for so long: a queue that refuses must not be polled without a pause. */
const REST_MS = 1_000;
const CLOSE_TIMEOUT_MS = 2_000;

/**
 * A worker of one queue that survives failures of its backend: it is opened again if BullMQ would stay broken (a
 * connection that failed at its start), and pauses if BullMQ would ask again at once (a Redis that is read-only or
 * full).
 */
export class QueueWorker {
  private readonly stopping = new AbortController();
  private worker: JobWorker | null = null;
  private resting: Promise<void> | null = null;
  private isReady = false;
  private closing: Promise<void> = Promise.resolve();

  constructor(private readonly options: QueueWorkerOptions) {
    void this.open();
  }

  private async open(): Promise<void> {
    const { backend, queue, concurrency, lockMs, stalledMs, process, clock, onError } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (backend.isUp()) {
        const worker = backend.worker(queue, process, {
          concurrency,
          lockMs,
          stalledMs,
          onError: (error) => this.rest(error),
        });
        this.worker = worker;
        try {
          await worker.waitUntilReady();
          this.isReady = true;
          return;
        } catch (error) {
          this.worker = null;
          onError(error instanceof Error ? error : new Error('a worker did not begin'), queue);
          await this.closeNow(worker);
        }
      }
      await clock.sleep(REST_MS, signal).catch(() => {});
    }
  }

  private rest(trouble: Error): void {
    const { clock, queue, onError } = this.options;
    if (this.stopping.signal.aborted) return;
    onError(trouble, queue);
    const { worker } = this;
    if (!worker || this.resting) return;
    const rest = async () => {
      await worker.pause(true);
      await clock.sleep(REST_MS, this.stopping.signal).catch(() => {});
      if (!this.stopping.signal.aborted) await worker.resume();
    };
    this.resting = rest()
      .catch((failure: unknown) => onError(failure instanceof Error ? failure : trouble, queue))
      .finally(() => {
        this.resting = null;
      });
  }

  /** Takes no further job; running ones continue. Wait for them elsewhere, then `close`. */
  stop(): void {
    this.stopping.abort(new Error('stopping'));
    this.closing = this.end();
  }

  /** After `stop`, when no job is running. */
  async close(): Promise<void> {
    const { clock } = this.options;
    await withTimeout(clock, CLOSE_TIMEOUT_MS, 'closing a worker', this.closing).catch(() => {
      // An unreachable server does not answer the close.
      this.worker?.disconnect().catch(() => {});
    });
  }

  private async end(): Promise<void> {
    await this.resting;
    // A worker that never started has no jobs, and might wait for ever for a server that refuses it.
    await this.worker?.close(!this.isReady);
  }

  private async closeNow(worker: JobWorker): Promise<void> {
    await withTimeout(this.options.clock, CLOSE_TIMEOUT_MS, 'closing a worker', worker.close(true)).catch(
      () => {},
    );
  }
}
