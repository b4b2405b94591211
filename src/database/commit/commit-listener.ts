import type pg from 'pg';
import { type Clock } from '../../core/clock.js';
import { CommitWatch } from '../../core/commit-watch.js';
import { STAGED_CHANNEL } from './waker.js';

/**
 * Wakes those who wait for another process's commit. What decides an operation tells of it by an event, and events
 * are notified of already, so commits pay nothing for this. Holds a connection of the pool only while somebody waits.
 */
export class CommitListener {
  private readonly watches = new Set<CommitWatch>();
  private listening: AbortController | null = null;

  constructor(
    private readonly pool: pg.Pool,
    private readonly clock: Clock,
  ) {}

  watch(): CommitWatch {
    const watch = new CommitWatch(this.clock, () => {
      this.watches.delete(watch);
      if (this.watches.size === 0) this.close();
    });
    this.watches.add(watch);
    if (!this.listening) void this.listen((this.listening = new AbortController()));
    return watch;
  }

  /** Called after a commit of this process too, before the server tells of it. */
  wake(): void {
    this.watches.forEach((watch) => watch.wake());
  }

  close(): void {
    this.listening?.abort();
    this.listening = null;
  }

  /** Never rejects. A session that is lost is opened anew by the next who waits; meanwhile they look by themselves. */
  private async listen(over: AbortController): Promise<void> {
    const wake = () => this.wake();
    let isLost = false;
    const lose = () => {
      isLost = true;
      over.abort();
    };
    let client: pg.PoolClient | null = null;
    try {
      client = await this.pool.connect();
      client.on('notification', wake).on('error', lose).on('end', lose);
      await client.query(`LISTEN ${STAGED_CHANNEL}`);
      // Commits before the server heard of this have told nobody.
      wake();
      await aborted(over.signal);
      if (!isLost) await client.query(`UNLISTEN ${STAGED_CHANNEL}`);
    } catch {
      lose();
    } finally {
      if (this.listening === over) this.listening = null;
      client?.off('notification', wake).off('error', lose).off('end', lose);
      client?.release(isLost);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
