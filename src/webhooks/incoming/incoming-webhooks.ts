import type pg from 'pg';
import { type Registry } from 'prom-client';
import { type DataSource } from 'typeorm';
import { type Clock } from '../../core/clock.js';
import { type Ids } from '../../core/ids.js';
import { type JobKind } from '../../jobs/job-kind.js';
import { type NotificationReader } from '../../psp/notification.js';
import { type ItemRecorder } from '../../request-storage/notification.js';
import { ApplyNotice } from './apply-notification.js';
import { Arrivals } from './arrivals.js';
import { ReconciliationBreaks } from './reconciliation-breaks.js';
import { InboxEntry } from './inbox-entry.entity.js';
import { Inbox, type ApplyArgs } from './inbox.js';
import { InboxRetention } from './inbox-retention.js';
import { IncomingMetrics } from './incoming-metrics.js';
import { NotificationsService } from './notifications.service.js';

export interface IncomingWebhooksDeps {
  readonly dataSource: DataSource;
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly metrics: Registry;
  /** Null for an account that is not configured, or that has no secret to check signatures by. */
  readonly readerOf: (account: string) => NotificationReader | null;
  readonly facts: ItemRecorder;
}

export abstract class IncomingWebhooks {
  /** For the API. */
  readonly notifications: NotificationsService;
  /** For whatever runs jobs. */
  readonly kind: JobKind<ApplyArgs>;
  /** Deletes notifications past their retention. */
  readonly task: { readonly name: string; readonly everyMs: number; runOnce(): Promise<object> };
}

/** Puts together what takes PSPs' notifications in, and its metrics. Once for a process. */
export function incomingWebhooks(deps: IncomingWebhooksDeps): IncomingWebhooks {
  const { pool, clock, ids, readerOf, facts } = deps;
  const inbox = new Inbox(pool, clock, ids);
  const metrics = new IncomingMetrics(deps.metrics);
  new ReconciliationBreaks(deps.dataSource.getRepository(InboxEntry), clock).register(deps.metrics);
  const kind = new ApplyNotice({ inbox, facts, metrics, clock, ids });
  return {
    notifications: new NotificationsService({
      readerOf,
      arrivals: new Arrivals(inbox, kind),
      metrics,
      clock,
    }),
    kind,
    task: new InboxRetention(inbox, clock),
  };
}
