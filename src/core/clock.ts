import { performance } from 'node:perf_hooks';

/**
 * The only reader of time. Every time that is stamped or judged comes from `now()`, which in a service
 * is the database's (database-clock.ts); how much of a lease is left is judged by `monotonicMs()`, which
 * no administrator can set back, and by `wallMs()`, which goes on while a machine sleeps.
 */
export abstract class Clock {
  /** UTC. */
  abstract now(): Date;
  /** The machine's own wall clock, in ms since the epoch. It may be wrong; only differences mean anything. */
  abstract wallMs(): number;
  /** Whether a proof, a window or a retention may be judged by `now()`. */
  abstract isTrusted(): boolean;
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  abstract monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `ring` after `ms`, unless it is stopped first by what this returns. Costs a tenth of a sleep with a signal. */
  abstract timer(ms: number, ring: () => void): () => void;
}

/** The machine's clock, wrong by a fixed offset (0 outside tests and rehearsals). */
export class SystemClock implements Clock {
  constructor(private readonly offsetMs = 0) {}

  now(): Date {
    return new Date(this.wallMs());
  }

  wallMs(): number {
    return Date.now() + this.offsetMs;
  }

  isTrusted(): boolean {
    return true;
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

  timer(ms: number, ring: () => void): () => void {
    const timer = setTimeout(ring, ms);
    return () => clearTimeout(timer);
  }
}

/** A clock that stands still until it is moved. For tests. */
export class ManualClock implements Clock {
  private sleepers: { wakeAtMs: number; wake: () => void }[] = [];

  constructor(private nowMs = Date.UTC(2026, 0, 1)) {}

  now(): Date {
    return new Date(this.nowMs);
  }

  wallMs(): number {
    return this.nowMs;
  }

  isTrusted(): boolean {
    return true;
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  /** Moves time on and wakes the sleepers whose time has come. */
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

  timer(ms: number, ring: () => void): () => void {
    const sleeper = { wakeAtMs: this.nowMs + ms, wake: ring };
    this.sleepers.push(sleeper);
    return () => {
      this.sleepers = this.sleepers.filter((each) => each !== sleeper);
    };
  }
}
