import { type Clock } from '../../packages/client/src/clock.js';

/**
 * Time that passes only while everybody waits: as soon as nothing else is left to do, it jumps to
 * the moment that the next sleeper waits for. So an hour of retries takes no time and always the same.
 */
export class VirtualClock implements Clock {
  private sleepers: { readonly atMs: number; readonly wake: () => void }[] = [];
  private jump: NodeJS.Immediate | null = null;

  constructor(
    private ms = 0,
    private readonly epochMs = Date.UTC(2026, 0, 1),
  ) {}

  now(): Date {
    return new Date(this.epochMs + this.ms);
  }

  monotonicMs(): number {
    return this.ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = () => {
        this.sleepers = this.sleepers.filter((one) => one !== sleeper);
      };
      const stop = () => {
        leave();
        reject(signal?.reason);
      };
      const sleeper = {
        atMs: this.ms + ms,
        wake: () => {
          leave();
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.sleepers.push(sleeper);
      this.jump ??= setImmediate(() => this.next());
    });
  }

  private next(): void {
    this.jump = null;
    const [first, ...others] = this.sleepers.toSorted((one, other) => one.atMs - other.atMs);
    if (first === undefined) return;
    this.ms = first.atMs;
    first.wake();
    if (others.length > 0) this.jump = setImmediate(() => this.next());
  }
}
