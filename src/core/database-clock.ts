import { type Clock } from './clock.js';

/** An answer that took longer says too little about when the database looked at its clock. */
const MAX_ROUND_TRIP_MS = 1_000;
/** Without an answer for so long, nothing is known of the database's time any more. */
const FRESH_MS = 5_000;
/** How far the machine's wall clock and the database's may be apart. */
const MAX_DIFFERENCE_MS = 2_000;
/** The answer with the shortest round trip counts among the latest: it is the most exact. */
const SAMPLES = 8;
/** Two clocks drift apart far less than this between two answers. */
const DRIFT_MS = 50;

interface Sample {
  readonly databaseMs: number;
  /** When the database said so, by the monotonic clock: the middle of the round trip. */
  readonly atMs: number;
  readonly roundTripMs: number;
}

/**
 * The database's clock, read by every process of an installation, so that all of them stamp and judge by
 * one clock. Between two answers of the database it goes on with the process's monotonic clock. It is
 * trusted while answers are fresh and the machine's own wall clock agrees: where the two differ, one of
 * them is wrong, or the machine has slept, and it is not known which.
 */
export class DatabaseClock implements Clock {
  private samples: readonly Sample[] = [];
  private best: Sample | null = null;
  private heardMs = -Infinity;

  constructor(private readonly own: Clock) {}

  /** Takes in what the database said its time was; `askedMs` is `monotonicMs()` right before it was asked. */
  learn(askedMs: number, database: Date): void {
    const answeredMs = this.own.monotonicMs();
    const roundTripMs = answeredMs - askedMs;
    if (roundTripMs > MAX_ROUND_TRIP_MS) return;
    const sample = { databaseMs: database.getTime(), atMs: askedMs + roundTripMs / 2, roundTripMs };
    // The database's clock was set in between if an older answer says otherwise.
    const agreeing = this.samples.filter((older) => agree(older, sample)).slice(1 - SAMPLES);
    this.samples = [...agreeing, sample];
    this.best = this.samples.reduce((a, b) => (b.roundTripMs <= a.roundTripMs ? b : a));
    this.heardMs = answeredMs;
  }

  now(): Date {
    const { best } = this;
    // Before the first answer there is nothing else; nothing is judged by it, see isTrusted().
    if (!best) return this.own.now();
    return new Date(best.databaseMs + this.own.monotonicMs() - best.atMs);
  }

  wallMs(): number {
    return this.own.wallMs();
  }

  monotonicMs(): number {
    return this.own.monotonicMs();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.own.sleep(ms, signal);
  }

  timer(ms: number, ring: () => void): () => void {
    return this.own.timer(ms, ring);
  }

  isTrusted(): boolean {
    const isFresh = this.own.monotonicMs() - this.heardMs <= FRESH_MS;
    return isFresh && Math.abs(this.differenceMs() ?? Infinity) <= MAX_DIFFERENCE_MS;
  }

  /** How far the machine's wall clock is ahead of the database's; null before the first answer. */
  differenceMs(): number | null {
    return this.best ? this.wallMs() - this.now().getTime() : null;
  }
}

function agree(a: Sample, b: Sample): boolean {
  const apartMs = Math.abs(b.databaseMs - a.databaseMs - (b.atMs - a.atMs));
  return apartMs <= (a.roundTripMs + b.roundTripMs) / 2 + DRIFT_MS;
}
