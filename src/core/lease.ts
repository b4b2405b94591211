import { type Clock } from './clock.js';

/**
 * How long a lock that we hold surely lasts, seen from here. Made just before the statement that
 * takes the lock, so that it ends before the database's own. Judged by two clocks, and the stricter
 * one counts: the monotonic one cannot be set back but may stand still while a machine sleeps; the
 * wall clock goes on through a sleep but may be set.
 */
export class Lease {
  private readonly untilMonotonicMs: number;
  private readonly untilWallMs: number;

  constructor(
    private readonly clock: Clock,
    ms: number,
    private readonly isHeld: () => boolean = () => true,
  ) {
    this.untilMonotonicMs = clock.monotonicMs() + ms;
    this.untilWallMs = clock.wallMs() + ms;
  }

  /** Whether it will still be held `ms` from now. */
  outlives(ms: number): boolean {
    return (
      this.isHeld() &&
      this.clock.monotonicMs() + ms <= this.untilMonotonicMs &&
      this.clock.wallMs() + ms <= this.untilWallMs
    );
  }
}
