import type pg from 'pg';
import { type Registry } from 'prom-client';
import { type Clock, type Ids } from '../../kernel/index.js';
import { type JobKind } from '../../jobs/index.js';
import { type NoticeReader } from '../../psp/index.js';
import { type FactTaker } from '../../request-storage/index.js';
import { ApplyNotice } from './apply-notice.js';
import { Arrivals } from './arrivals.js';
import { Breaks } from './breaks.js';
import { Inbox, type ApplyArgs } from './inbox.js';
import { InboxRetention } from './inbox-retention.js';
import { IncomingMetrics } from './incoming-metrics.js';
import { IncomingNotifications, type Notifications } from './notifications.js';

export interface IncomingWebhooksDeps {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Registry;
  /** Null for an account that is not configured, or that has no secret to check signatures by. */
  readonly readerOf: (account: string) => NoticeReader | null;
  readonly facts: FactTaker;
}

export interface IncomingWebhooks {
  /** For the API. */
  readonly notifications: Notifications;
  /** For whatever runs jobs. */
  readonly kind: JobKind<ApplyArgs>;
  /** For whatever runs chores. */
  readonly chore: { readonly name: string; readonly everyMs: number; runOnce(): Promise<object> };
}

/** Puts together what takes PSPs' notifications in, and its metrics. Once for a process. */
export function incomingWebhooks(deps: IncomingWebhooksDeps): IncomingWebhooks {
  const { pool, clock, ids, readerOf, facts } = deps;
  const inbox = new Inbox(pool, clock, ids);
  const metrics = new IncomingMetrics(deps.metrics);
  new Breaks(pool, clock).register(deps.metrics);
  const kind = new ApplyNotice({ inbox, facts, metrics, clock, ids });
  return {
    notifications: new IncomingNotifications({
      readerOf,
      arrivals: new Arrivals(inbox, kind),
      metrics,
      clock,
    }),
    kind,
    chore: new InboxRetention(inbox, clock),
  };
}
