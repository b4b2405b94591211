import { type Clock } from '../kernel/index.js';

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

const BATCH = 1_000;
const MOST_BATCHES = 100;

/** Forgets finished keys after their retention. What is unfinished is reported, never deleted. */
export class Reaper {
  constructor(
    private readonly keys: KeyRetention,
    private readonly clock: Clock,
    private readonly retentionMs: number,
  ) {}

  async runOnce(): Promise<ReaperReport> {
    const before = new Date(this.clock.now().getTime() - this.retentionMs);
    let deleted = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const count = await this.keys.deleteFinished(before, BATCH);
      deleted += count;
      if (count < BATCH) break;
    }
    return { deleted, unfinished: await this.keys.countUnfinished(before) };
  }
}
