import { type Clock, prune } from '../kernel/index.js';

/** Hand-written SQL of the reaper; implemented over the pool where keys live. */
export interface KeyRetention {
  /** Deletes finished keys that ended before `before`, at most `limit`; returns how many. */
  deleteFinished(before: Date, limit: number): Promise<number>;
  /** How many unfinished keys are older than `before`. They are never deleted. */
  countUnfinished(before: Date): Promise<number>;
}

export interface ReaperReport {
  readonly deleted: number;
  /** Keys past their retention whose operation is not finished: for a person to look at. */
  readonly unfinished: number;
}

/** Forgets finished keys after their retention. What is unfinished is reported, never deleted. */
export class Reaper {
  constructor(
    private readonly keys: KeyRetention,
    private readonly clock: Clock,
    private readonly retentionMs: number,
  ) {}

  async runOnce(): Promise<ReaperReport> {
    const before = new Date(this.clock.now().getTime() - this.retentionMs);
    const deleted = await prune((limit) => this.keys.deleteFinished(before, limit));
    return { deleted, unfinished: await this.keys.countUnfinished(before) };
  }
}
