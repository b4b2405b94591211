/** The longest anything may be delayed. */
export const MAX_DELAY_MS = 600_000;

interface Due {
  readonly at: number;
  readonly run: () => void;
  timer: NodeJS.Timeout;
}

/** The time at one PSP: real time, moved forward on demand. What is due comes due by either. */
export class Clock {
  private offset = 0;
  private readonly waiting = new Set<Due>();

  now(): number {
    return Date.now() + this.offset;
  }

  /** The `Date` of an answer, where it is not the one that the server writes by itself. */
  date(): { readonly date?: string } {
    return this.offset === 0 ? {} : { date: new Date(this.now()).toUTCString() };
  }

  /** Runs `run` after `ms`, or as soon as the clock is moved past that. */
  after(ms: number, run: () => void): void {
    const due: Due = { at: this.now() + ms, run, timer: this.timer(ms, () => this.fire(due)) };
    this.waiting.add(due);
  }

  /** A timer of Node's may be early by a part of a millisecond, and what is due in hours has several. */
  private fire(due: Due): void {
    const left = due.at - this.now();
    if (left > 1) {
      due.timer = this.timer(left, () => this.fire(due));
      return;
    }
    this.waiting.delete(due);
    due.run();
  }

  private timer(ms: number, run: () => void): NodeJS.Timeout {
    return setTimeout(run, Math.min(ms, MAX_DELAY_MS));
  }

  /** Stops on the way wherever something comes due, so that each thing happens at its own time. */
  advance(ms: number): void {
    const offset = this.offset + ms;
    const until = this.now() + ms;
    const due = [...this.waiting].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
    for (const one of due) {
      clearTimeout(one.timer);
      this.waiting.delete(one);
      this.offset = Math.max(this.offset, one.at - Date.now());
      one.run();
    }
    this.offset = offset;
  }

  /** Back to real time; what was waiting never happens. */
  reset(): void {
    this.offset = 0;
    for (const { timer } of this.waiting) clearTimeout(timer);
    this.waiting.clear();
  }
}
