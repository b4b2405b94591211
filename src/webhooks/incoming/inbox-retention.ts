import { type Clock } from '../../kernel/index.js';
import { type Inbox } from './inbox.js';

const DAY_MS = 24 * 3_600_000;
/** Longer than PSPs send again: Stripe for three days, Adyen for up to thirty. */
const RETENTION_MS = 30 * DAY_MS;
const BATCH = 1_000;
const MOST_BATCHES = 100;

/** Forgets notifications that were decided 30 days ago. Breaks are kept, and so is what is undecided. */
export class InboxRetention {
  readonly name = 'webhook-inbox';
  readonly everyMs = 3_600_000;

  constructor(
    private readonly inbox: Inbox,
    private readonly clock: Clock,
  ) {}

  /** One pass, with a bound. */
  async runOnce(): Promise<{ readonly deleted: number }> {
    const before = new Date(this.clock.now().getTime() - RETENTION_MS);
    let deleted = 0;
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      const count = await this.inbox.forget(before, BATCH);
      deleted += count;
      if (count < BATCH) break;
    }
    return { deleted };
  }
}
