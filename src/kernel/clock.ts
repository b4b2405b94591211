import { performance } from 'node:perf_hooks';

/**
 * The only reader of time. Business times (created_at, windows, schedules) come from `now()`;
 * leases are judged by the database's own clock inside the statement that takes them, and how much
 * of a lease is left is judged by `monotonicMs()`, which no administrator can set back.
 */
export interface Clock {
  /** Wall-clock time, UTC. */
  now(): Date;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's clock, moved by a fixed offset (0 outside tests). */
export class SystemClock implements Clock {
  constructor(private readonly offsetMs = 0) {}

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  monotonicMs(): number {
    return performance.now();
  }

  /** Not that of node:timers/promises, which makes an error with a stack for each one it ends early. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const stop = () => {
        clearTimeout(timer);
        reject(signal!.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}

/** A clock that stands still until it is moved. For tests. */
export class ManualClock implements Clock {
  private sleepers: { wakeAtMs: number; wake: () => void }[] = [];

  constructor(private nowMs = Date.UTC(2026, 0, 1)) {}

  now(): Date {
    return new Date(this.nowMs);
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  /** Moves time on and wakes whoever slept until then. */
  advance(ms: number): void {
    this.nowMs += ms;
    const due = this.sleepers.filter((sleeper) => sleeper.wakeAtMs <= this.nowMs);
    this.sleepers = this.sleepers.filter((sleeper) => sleeper.wakeAtMs > this.nowMs);
    for (const sleeper of due) sleeper.wake();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.sleepers.push({ wakeAtMs: this.nowMs + ms, wake: resolve });
    });
  }
}
