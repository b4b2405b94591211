import { prune } from '../database/prune.js';

/** Hand-written SQL of the reaper; implemented over the pool where keys live. Its clock is the store's. */
export interface KeyRetention {
  /** Deletes keys that finished longer ago than `retentionMs`, at most `limit`; returns how many. */
  deleteFinished(retentionMs: number, limit: number): Promise<number>;
  /** How many unfinished keys are older than that. They are never deleted. */
  countUnfinished(retentionMs: number): Promise<number>;
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
    private readonly retentionMs: number,
  ) {}

  async runOnce(): Promise<ReaperReport> {
    const { keys, retentionMs } = this;
    const deleted = await prune((limit) => keys.deleteFinished(retentionMs, limit));
    return { deleted, unfinished: await keys.countUnfinished(retentionMs) };
  }
}
