import type pg from 'pg';
import { Registry } from 'prom-client';
import { entities } from '../../src/entities.js';
import { ManualClock } from '../../src/core/clock.js';
import { SystemIds } from '../../src/core/ids.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { type NotificationItem } from '../../src/psp/notification.js';
import {
  type ItemRecorder,
  type NotificationOutcome,
} from '../../src/request-storage/decisions/record-notification.js';
import { Breaks } from '../../src/reconciliation/breaks.js';
import { ApplyNotice } from '../../src/notifications/apply-notification.js';
import { Arrivals } from '../../src/notifications/arrivals.js';
import { InboxRetention } from '../../src/notifications/inbox-retention.js';
import { Inbox } from '../../src/notifications/inbox.js';
import { IncomingMetrics } from '../../src/notifications/incoming-metrics.js';
import { NotificationsService } from '../../src/notifications/notifications.service.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { type Batch, batchOf, HmacReader, type Item } from './hmac-reader.js';

export const SECRETS = { north: 'secret-of-north-0001', south: 'secret-of-south-0002' } as const;
export type Account = keyof typeof SECRETS;

const readers = new Map(
  Object.entries(SECRETS).map(([account, secret]) => [account, new HmacReader(secret)]),
);

/** Knows operations by what a test says of them, and remembers what it was given. */
export class RecordingTaker implements ItemRecorder {
  readonly taken: { psp: string; operation: string; outcome: string; traceId: string }[] = [];
  readonly words = new Map<string, NotificationOutcome | (() => Promise<NotificationOutcome>)>();

  async recordNotification(
    psp: string,
    fact: NotificationItem,
    traceId: string,
  ): Promise<NotificationOutcome> {
    const operation = fact.entityKey ?? 'none';
    this.taken.push({ psp, operation, outcome: fact.answer.outcome, traceId });
    const word = this.words.get(operation) ?? 'unknown';
    return typeof word === 'string' ? word : word();
  }

  get operations(): string[] {
    return this.taken.map(({ operation }) => operation);
  }
}

/** A row of the inbox, as it stands. */
export interface Row {
  readonly event_id: string;
  readonly type: string;
  readonly state: string;
  readonly reason: string | null;
  readonly tries: number;
  readonly taken: string[];
  readonly next_at: Date | null;
  readonly decided_at: Date | null;
  readonly received_at: Date;
  readonly occurred_at: Date | null;
  readonly entity_key: string | null;
  readonly trace_id: string;
}

/** What takes notifications in, over a database of its own and by a clock that stands still. */
export class IncomingEnvironment {
  readonly clock = new ManualClock(Date.UTC(2026, 10, 21, 12));
  readonly taker = new RecordingTaker();
  readonly metrics = new Registry();
  readonly incoming: ReturnType<IncomingEnvironment['another']>;
  readonly breaks: Breaks;
  readonly never = new AbortController().signal;

  private constructor(
    readonly fresh: FreshDatabase,
    readonly database: Database,
  ) {
    this.breaks = new Breaks(this.database.dataSource, this.clock);
    this.breaks.register(this.metrics);
    this.incoming = this.another(this.pool, this.metrics);
  }

  /** @param through where the database is reached, unless directly */
  static async open(through?: (url: string) => Promise<string>): Promise<IncomingEnvironment> {
    const fresh = await freshDatabase();
    return new IncomingEnvironment(fresh, await connect((await through?.(fresh.url)) ?? fresh.url));
  }

  get pool(): pg.Pool {
    return this.database.pool;
  }

  /** The same as another process would have it. */
  another(pool: pg.Pool, registry = new Registry()) {
    const { clock } = this;
    const ids = new SystemIds(clock);
    const inbox = new Inbox(pool, clock, ids);
    const metrics = new IncomingMetrics(registry);
    const kind = new ApplyNotice(inbox, this.taker, metrics, clock, ids);
    const arrivals = new Arrivals(inbox, kind);
    return {
      notifications: new NotificationsService(
        readers,
        arrivals,
        metrics,
        clock,
        { announce: () => Promise.resolve() },
        { hint: () => Promise.resolve() },
      ),
      kind,
      task: new InboxRetention(inbox, clock),
    };
  }

  batch(items: readonly Item[], secrets: string | readonly string[] = SECRETS.north): Batch {
    return batchOf(items, secrets, this.clock.now());
  }

  /** As the API hands it over. */
  receive(items: readonly Item[], account: Account = 'north'): Promise<number> {
    const { body, headers } = this.batch(items, SECRETS[account]);
    return this.incoming.notifications.receive(account, Buffer.from(body), headers);
  }

  /** Runs what is due now as a worker would, each as its own job. Returns how many there were. */
  async work(): Promise<number> {
    const due = await this.incoming.kind.due(1_000);
    await Promise.all(due.map((args) => this.incoming.kind.run(args, this.never)));
    return due.length;
  }

  async run(eventId: string, psp = 'north'): Promise<void> {
    await this.incoming.kind.run({ psp, eventId, tries: 0 }, this.never);
  }

  async rows(): Promise<Row[]> {
    return (await this.pool.query<Row>('SELECT * FROM webhook_inbox ORDER BY event_id')).rows;
  }

  async row(eventId: string): Promise<Row> {
    const found = (await this.rows()).find(({ event_id: id }) => id === eventId);
    if (!found) throw new Error(`no row of ${eventId}`);
    return found;
  }

  async jobs() {
    const { rows } = await this.pool.query<{
      kind: string;
      job_id: string;
      args: { psp: string; eventId: string; tries: number };
      not_before: Date | null;
    }>('SELECT * FROM staged_jobs ORDER BY staged_at, job_id');
    return rows;
  }

  /** Lines of a metric, without its comments. */
  async metric(name: string): Promise<string[]> {
    const text = await this.metrics.metrics();
    return text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('# '));
  }

  async clear(): Promise<void> {
    await this.pool.query('TRUNCATE webhook_inbox, staged_jobs, audit_records CASCADE');
    this.taker.taken.length = 0;
    this.taker.words.clear();
    this.metrics.resetMetrics();
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.fresh.drop();
  }
}

export function connect(url: string): Promise<Database> {
  return openDatabase({ url, entities, migrations: [], poolSize: 6, applicationName: 'incoming' });
}

export function charge(n: number | string, more: Partial<Item> = {}): Item {
  return {
    id: `evt-${n}`,
    type: 'charge.done',
    about: [{ operation: `payment-${n}-charge`, outcome: 'succeeded' }],
    ...more,
  };
}
