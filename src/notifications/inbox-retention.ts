import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { prune } from '../database/prune.js';
import { Inbox } from './inbox.js';

const DAY_MS = 24 * 3_600_000;
/** Longer than PSPs send again: Stripe for three days, Adyen for up to thirty. */
const RETENTION_MS = 30 * DAY_MS;

/** Deletes notifications that were decided 30 days ago. Breaks and undecided ones are kept. */
@Injectable()
export class InboxRetention {
  readonly name = 'webhook-inbox';
  readonly everyMs = 600_000;

  constructor(
    private readonly inbox: Inbox,
    private readonly clock: Clock,
  ) {}

  /** One pass, with a bound. */
  async runOnce(): Promise<{ readonly deleted: number }> {
    const before = new Date(this.clock.now().getTime() - RETENTION_MS);
    return { deleted: await prune((limit) => this.inbox.forget(before, limit)) };
  }
}
