import { type Clock } from './clock.js';

/**
 * A wake-up may be lost with the session that brings it, and the lease of a process that died ends without a commit:
 * who waits looks by itself after so long.
 */
const LOOK_AGAIN_MS = 500;

/** Wakes a run that waits for what another run commits, in whatever process. Opened before the first look, so that none is missed. */
export class CommitWatch {
  private woken = false;
  private ring: () => void = () => {};

  constructor(
    private readonly clock: Clock,
    readonly close: () => void,
  ) {}

  wake(): void {
    this.woken = true;
    this.ring();
  }

  /** Resolves when something has been committed since the last call: time to look again; after half a second or `ms` in any case. */
  async next(ms: number): Promise<void> {
    if (!this.woken) {
      await new Promise<void>((resolve) => {
        const stop = this.clock.timer(Math.min(ms, LOOK_AGAIN_MS), resolve);
        this.ring = () => {
          stop();
          resolve();
        };
      });
    }
    this.woken = false;
    this.ring = () => {};
  }
}
