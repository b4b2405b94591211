import { type Clock } from './clock.js';
import { type CallLock, type CallStore, type Hold } from './call-store.js';

/** When a lock is extended, as a part of its TTL: late enough to be rare, early enough to try again. */
const EXTEND_AT = 0.7;
/** After an extension that the store did not answer: three tries fit before the lock lapses. */
const TRY_AGAIN_AFTER = 0.1;

export type LossOfLock = Exclude<Hold, 'held'> | 'lapsed' | 'too_long';

/**
 * Extends the lock of one run until it is stopped. When the lock is lost, or the store cannot say that it is
 * not, `signal` is aborted: a handler that has not yet done what it is for can still step back.
 */
export class LockKeeper {
  private readonly stopped = new AbortController();
  private readonly lost = new AbortController();
  private loss: LossOfLock | null = null;

  /** `sinceMs`: the monotonic clock just before the lock was asked for, so that ours ends first. */
  constructor(
    private readonly store: CallStore,
    private readonly lock: CallLock,
    private readonly clock: Clock,
    private readonly sinceMs: number,
    private readonly ttlMs: number,
    private readonly longestMs: number,
  ) {}

  /** Aborted once the lock may be another's. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  /** How the lock was lost, as far as is known; null while it is ours. */
  get lossOfLock(): LossOfLock | null {
    return this.loss;
  }

  start(): void {
    void this.keep();
  }

  stop(): void {
    this.stopped.abort();
  }

  private async keep(): Promise<void> {
    let [untilMs, nextMs] = [this.sinceMs + this.ttlMs, this.sinceMs + EXTEND_AT * this.ttlMs];
    const endMs = this.sinceMs + this.longestMs;
    while (nextMs < endMs) {
      if (!(await this.reached(nextMs))) return;
      const askedMs = this.clock.monotonicMs();
      const hold = await this.extendBefore(untilMs);
      if (this.stopped.signal.aborted) return;
      if (hold === 'held') {
        [untilMs, nextMs] = [askedMs + this.ttlMs, askedMs + EXTEND_AT * this.ttlMs];
      } else if (hold === 'unknown') {
        nextMs = this.clock.monotonicMs() + TRY_AGAIN_AFTER * this.ttlMs;
      } else {
        return this.lose(hold);
      }
    }
    if (await this.reached(untilMs)) this.lose('too_long');
  }

  /** What the store says, or that the lock lapsed before it said anything. */
  private async extendBefore(untilMs: number): Promise<Hold | 'unknown' | 'lapsed'> {
    const answered = new AbortController();
    const lapse = this.reached(untilMs, answered.signal).then((isReached) =>
      isReached ? ('lapsed' as const) : ('unknown' as const),
    );
    const extension = this.store.extend(this.lock, this.ttlMs).catch(() => 'unknown' as const);
    const first = await Promise.race([extension, lapse]);
    answered.abort();
    return first;
  }

  /** True at that time of the monotonic clock; false when it no longer matters. */
  private async reached(atMs: number, also?: AbortSignal): Promise<boolean> {
    const signal = also ? AbortSignal.any([this.stopped.signal, also]) : this.stopped.signal;
    const leftMs = atMs - this.clock.monotonicMs();
    if (leftMs <= 0) return !signal.aborted;
    return this.clock.sleep(leftMs, signal).then(
      () => true,
      () => false,
    );
  }

  private lose(loss: LossOfLock): void {
    this.loss = loss;
    this.lost.abort(new Error(`the lock of this run is no longer its own: ${loss}`));
  }
}
