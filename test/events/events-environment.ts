import { merchantServices } from '../../src/commands/merchant-services.js';
import { type Pool } from 'pg';
import { Registry } from 'prom-client';
import { entities } from '../../src/entities.js';
import { ManualClock } from '../../src/core/clock.js';
import { eventRecords } from '../../src/database/event.js';
import { SystemIds } from '../../src/core/ids.js';
import { Encryption } from '../../src/core/encryption.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import { TenantDatabase } from '../../src/database/tenants.js';
import { type Caller } from '../../src/core/caller.js';
import { defaultDeliverLimits, Deliver, type DeliverLimits } from '../../src/events/deliver.js';
import { type DeliveryArgs, deliveryKinds } from '../../src/events/delivery-jobs.js';
import { DeliveryMetrics } from '../../src/events/delivery-metrics.js';
import { DeliveryRecords } from '../../src/events/delivery-records.js';
import { EventRetention } from '../../src/events/event-retention.js';
import { EventsService } from '../../src/events/events.service.js';
import { fanOut } from '../../src/events/fan-out.js';
import { type Resolve } from '../../src/events/address-resolver.js';
import { type TargetPolicy } from '../../src/events/target.js';
import { TargetGuard } from '../../src/events/target-guard.js';
import { WebhookEndpointsService } from '../../src/events/webhook-endpoints.service.js';
import { type EndpointWithSecretView } from '../../src/events/webhook.view.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { callerFixture } from '../support/caller.js';

/** As long as a test should take at most; those of the service are far longer. */
export const LIMITS = { timeoutMs: 1_000, slowMs: 500 } as const;

/** How long events are kept. */
const RETENTION_DAYS = 90;
export const RETENTION_MS = RETENTION_DAYS * 24 * 3_600_000;

export interface OutgoingOptions {
  readonly targets?: TargetPolicy;
  readonly resolve?: Resolve;
  readonly limits?: Partial<DeliverLimits>;
  /** When it begins by the clock that is moved: now, unless told. */
  readonly nowMs?: number;
}

/** Webhooks out over a database of its own, with the queue played by hand and a clock that is moved. */
export class OutgoingEnvironment {
  readonly clock: ManualClock;
  readonly ids: SystemIds;
  readonly seal = new Encryption(Buffer.alloc(32, 7));
  /** Of the first process. */
  readonly metrics = new Registry();
  merchant = callerFixture({ merchantId: '', apiKeyId: '' });
  out!: ReturnType<OutgoingEnvironment['service']>;

  private constructor(
    readonly fresh: FreshDatabase,
    private readonly database: Database,
    nowMs = Date.now(),
  ) {
    this.clock = new ManualClock(nowMs);
    this.ids = new SystemIds(this.clock);
  }

  static async open(options: OutgoingOptions = {}): Promise<OutgoingEnvironment> {
    const fresh = await freshDatabase();
    const database = await openDatabase({
      url: fresh.serviceUrl,
      entities,
      migrations: [],
      poolSize: 12,
      applicationName: 'payonce-desk',
    });
    const environment = new OutgoingEnvironment(fresh, database, options.nowMs);
    environment.out = environment.service(options, environment.metrics);
    environment.merchant = await environment.newMerchant();
    return environment;
  }

  get pool(): Pool {
    return this.database.pool;
  }

  /** Another process over the same database. */
  service({ targets = 'any', resolve, limits }: OutgoingOptions = {}, registry = new Registry()) {
    const { pool: sql, clock, ids, seal } = this;
    const tenants = new TenantDatabase(this.database.dataSource);
    const guard = new TargetGuard(targets, resolve);
    const records = new DeliveryRecords(sql, clock);
    const metrics = new DeliveryMetrics(registry, records);
    const all = { ...defaultDeliverLimits, ...LIMITS, ...limits };
    const deliver = new Deliver(records, clock, ids, seal, guard, metrics, all);
    return {
      endpoints: new WebhookEndpointsService(tenants, clock, ids, seal, guard),
      events: new EventsService(tenants, clock, ids),
      outboxSource: fanOut(clock),
      kinds: deliveryKinds(deliver, records),
      task: new EventRetention(sql, clock, { eventRetentionDays: RETENTION_DAYS }),
    };
  }

  async newMerchant(): Promise<Caller> {
    const { id } = await merchantServices(this.database.dataSource, this.clock, this.ids).merchants.create(
      'Shop',
    );
    return { ...this.merchant, merchantId: id };
  }

  endpoint(url: string, caller = this.merchant): Promise<EndpointWithSecretView> {
    return this.out.endpoints.create(caller, { url, events: null, description: null });
  }

  /** An event as a change of a payment writes it. */
  async event(type = 'payment.captured', { merchantId } = this.merchant): Promise<string> {
    const id = this.ids.uuid();
    await this.pool.query(
      `INSERT INTO ${eventRecords.name} (merchant_id, id, type, subject, data, at) VALUES ($1, $2, $3, $4, $5, $6)`,
      [merchantId, id, type, 'payment:p', { object: 'payment', id: 'p' }, this.clock.now()],
    );
    return id;
  }

  /** What the staged jobs ask for, taken out of the table as the queue would. */
  async staged(): Promise<{ kind: string; args: DeliveryArgs }[]> {
    const { rows } = await this.pool.query<{ kind: string; args: DeliveryArgs }>(
      'DELETE FROM staged_jobs RETURNING kind, args',
    );
    return rows;
  }

  run({ kind, args }: { kind: string; args: DeliveryArgs }, out = this.out): Promise<void> {
    return out.kinds.find(({ name }) => name === kind)!.run(args, new AbortController().signal);
  }

  /** Passes of the feeder and runs of what it stages, until nothing is due. @returns kinds that ran */
  async deliver(): Promise<string[]> {
    const ran: string[] = [];
    for (let passes = 0; passes < 200; passes++) {
      await this.out.outboxSource(this.pool);
      const jobs = await this.staged();
      if (jobs.length === 0) return ran;
      await Promise.all(jobs.map((job) => this.run(job)));
      ran.push(...jobs.map(({ kind }) => kind));
    }
    throw new Error('deliveries do not come to rest');
  }

  async deliveries(eventId: string) {
    return (await this.out.events.deliveries(this.merchant, eventId)).data;
  }

  /** Statuses and error codes of the tries of the only delivery of an event, oldest first. */
  async tries(eventId: string): Promise<[number | null, string | null][]> {
    const [delivery] = await this.deliveries(eventId);
    return delivery!.attempts.toReversed().map((a) => [a.http_status, a.error_code]);
  }

  /** Every table as text. */
  async tables(): Promise<string> {
    const { rows: names } = await this.pool.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const texts: string[] = [];
    for (const { name } of names) {
      const { rows } = await this.pool.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
      texts.push(...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.fresh.drop();
  }
}
