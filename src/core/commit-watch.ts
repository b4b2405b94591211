import { type Clock } from './clock.js';

/**
 * A wake-up may be lost with the session that brings it, and the lease of a process that died ends without a commit:
 * who waits looks by itself after so long.
 */
const LOOK_AGAIN_MS = 500;

/** However much is committed meanwhile, who waits looks no more often than so. */
const APART_MS = 100;

/** Wakes a run that waits for what another run commits, in whatever process. Opened before the first look, so that none is missed. */
export class CommitWatch {
  private woken = false;
  private ring: () => void = () => {};
  private lookedAtMs = -Infinity;

  constructor(
    private readonly clock: Clock,
    readonly close: () => void,
  ) {}

  wake(): void {
    this.woken = true;
    this.ring();
  }

  /**
   * Resolves when something has been committed since the last call, and the last look is a moment ago: time to look again;
   * after half a second or `ms` in any case.
   */
  async next(ms: number): Promise<void> {
    const now = this.clock.monotonicMs();
    const soonestMs = Math.min(now + ms, this.lookedAtMs + APART_MS);
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const stop = this.clock.timer(Math.min(ms, LOOK_AGAIN_MS), resolve);
        this.ring = () => {
          stop();
          resolve();
        };
      });
    }
    this.ring = () => {};
    const tooSoonMs = soonestMs - this.clock.monotonicMs();
    if (tooSoonMs > 0) await this.clock.sleep(tooSoonMs);
    this.woken = false;
    this.lookedAtMs = this.clock.monotonicMs();
  }
}
