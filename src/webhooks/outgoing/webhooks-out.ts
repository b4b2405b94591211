import { type Registry } from 'prom-client';
import { type DataSource } from 'typeorm';
import { type Clock } from '../../core/clock.js';
import { type Ids } from '../../core/ids.js';
import { EventRecord } from '../../database/event.entity.js';
import { type Encryption } from '../../core/encryption.js';
import { type PeriodicTask } from '../../jobs/periodic-task-leases.js';
import { type RetryPolicy } from '../../jobs/retry-policy.js';
import { type JobKind } from '../../jobs/job-kind.js';
import { Deliver, type DeliverLimits } from './deliver.js';
import { type DeliveryArgs, deliveryKinds, deliveryPolicies } from './delivery-jobs.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryRecords } from './delivery-records.js';
import { EventRetention } from './event-retention.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { EventsService } from './events.service.js';
import { fanOut } from './fan-out.js';
import { type TargetPolicy } from './target.js';
import { type Resolve } from './resolver.js';
import { TargetGuard } from './target-guard.js';
import { type Sql } from './waking.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

export interface WebhooksOutOptions {
  readonly dataSource: DataSource;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Encryption;
  readonly metrics: Registry;
  readonly targets: TargetPolicy;
  /** How long events are kept, in ms. */
  readonly retentionMs: number;
  /** How names are resolved; by the DNS servers and the hosts file of the system unless given. */
  readonly resolve?: Resolve;
  readonly limits?: Partial<DeliverLimits>;
}

/** Webhooks to merchants: what the API shows of them, and the background work. */
export abstract class WebhooksOut {
  readonly endpoints: WebhookEndpointsService;
  readonly events: EventsService;
  /** Run often, by one process at a time: stages the deliveries of new events, and those to be tried again. */
  readonly outboxSource: (tx: Sql) => Promise<number>;
  readonly kinds: readonly JobKind<DeliveryArgs>[];
  readonly retryPolicies: readonly RetryPolicy[];
  /** Forgets events after their retention. */
  readonly task: PeriodicTask;
}

export function webhooksOut({
  dataSource,
  sql,
  clock,
  ids,
  seal,
  metrics: registry,
  targets,
  retentionMs,
  resolve,
  limits,
}: WebhooksOutOptions): WebhooksOut {
  const guard = new TargetGuard(targets, resolve);
  const records = new DeliveryRecords(sql, clock);
  const metrics = new DeliveryMetrics(registry);
  metrics.register(registry, records);
  const deliver = new Deliver({ records, clock, ids, seal, guard, metrics, ...(limits ? { limits } : {}) });
  return {
    endpoints: new WebhookEndpointsService({
      endpoints: dataSource.getRepository(WebhookEndpoint),
      sql,
      clock,
      ids,
      seal,
      guard,
    }),
    events: new EventsService(dataSource.getRepository(EventRecord), sql, clock, ids),
    outboxSource: fanOut(clock),
    kinds: deliveryKinds(deliver, records),
    retryPolicies: deliveryPolicies,
    task: new EventRetention(sql, clock, retentionMs),
  };
}
