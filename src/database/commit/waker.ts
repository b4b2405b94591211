import type pg from 'pg';
import { type Clock } from '../../core/clock.js';

/** The channel on which the enqueuer learns that work waits. */
export const STAGED_CHANNEL = 'payonce_staged_jobs';

/**
 * Under load a wake-up now and then is as good as one for every commit, and costs a look at the tables and
 * several round trips each. After a pause a commit notifies at once.
 */
const SPACING_MS = 200;

/**
 * Notifies listeners, after commits, that there are rows for them. Not in the statement of the commit:
 * a transaction that notifies takes a lock as it commits which all the others that notify wait for, so
 * that commits would go through one by one. A wake-up may be lost (a listener looks by itself as well),
 * and many commits share one.
 */
export class Waker {
  private readonly spacing = new Map<string, { again: boolean }>();
  private readonly inHand = new Set<Promise<void>>();
  private readonly closing = new AbortController();

  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly clock: Clock,
  ) {}

  /** Never throws, never waits. At most one notification each 200 ms for a channel, the first at once. */
  wake(channel: string): void {
    const spacing = this.spacing.get(channel);
    if (spacing) {
      spacing.again = true;
      return;
    }
    const work = this.tell(channel).finally(() => this.inHand.delete(work));
    this.inHand.add(work);
  }

  private async tell(channel: string): Promise<void> {
    const spacing = { again: true };
    this.spacing.set(channel, spacing);
    while (spacing.again) {
      spacing.again = false;
      await this.pool.query('SELECT pg_notify($1, $2)', [channel, '']).catch(() => {});
      await this.clock.sleep(SPACING_MS, this.closing.signal).catch(() => {});
    }
    this.spacing.delete(channel);
  }

  /** The requested notifications are sent before this resolves. */
  async close(): Promise<void> {
    this.closing.abort(new Error('closing'));
    await Promise.all(this.inHand);
  }
}
