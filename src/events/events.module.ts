import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config.js';
import { Clock } from '../core/clock.js';
import { DatabaseModule } from '../database/database.module.js';
import { EventRecord } from '../database/event.entity.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { defaultDeliverLimits, Deliver, DeliverLimits } from './deliver.js';
import { deliveryKinds, deliveryPolicies } from './delivery-jobs.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { DeliveryRecords } from './delivery-records.js';
import { EventRetention } from './event-retention.js';
import { EventsController } from './events.controller.js';
import { EventsGrpc } from './events.grpc.js';
import { EventsService } from './events.service.js';
import { FAN_OUT_BATCH, fanOut } from './fan-out.js';
import { TargetGuard } from './target-guard.js';
import { WebhookDelivery, WebhookDeliveryAttempt } from './webhook-delivery.entity.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';
import { WebhookEndpointsGrpc } from './webhook-endpoints.grpc.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';

/** Events, and the webhooks that deliver them to merchants. */
@Module({
  imports: [
    DatabaseModule,
    JobsModule,
    TypeOrmModule.forFeature([EventRecord, WebhookEndpoint, WebhookDelivery, WebhookDeliveryAttempt]),
  ],
  controllers: [WebhookEndpointsController, EventsController, EventsGrpc, WebhookEndpointsGrpc],
  providers: [
    WebhookEndpointsService,
    EventsService,
    EventRetention,
    Deliver,
    DeliveryRecords,
    DeliveryMetrics,
    { provide: DeliverLimits, useValue: defaultDeliverLimits },
    {
      provide: TargetGuard,
      inject: [Config],
      useFactory: ({ webhookTargets }: Config) => new TargetGuard(webhookTargets),
    },
  ],
  exports: [WebhookEndpointsService],
})
export class EventsModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly deliver: Deliver,
    private readonly records: DeliveryRecords,
    private readonly retention: EventRetention,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.jobs.register({
      kinds: deliveryKinds(this.deliver, this.records),
      retryPolicies: deliveryPolicies,
      outboxSources: [{ take: fanOut(this.clock), limit: FAN_OUT_BATCH }],
      periodicTasks: () => [this.retention],
    });
  }
}
