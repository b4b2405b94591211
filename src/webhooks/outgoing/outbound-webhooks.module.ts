import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { Encryption } from '../../core/encryption.js';
import { Ids } from '../../core/ids.js';
import { DatabaseModule } from '../../database/database.module.js';
import { JobRegistry } from '../../jobs/job-registry.js';
import { JobsModule } from '../../jobs/jobs.module.js';
import { FAN_OUT_BATCH } from './fan-out.js';
import { WebhookDelivery, WebhookDeliveryAttempt } from './webhook-delivery.entity.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { WebhooksOut, webhooksOut } from './webhooks-out.js';

const DAY_MS = 24 * 3_600_000;

/** Events, and the webhooks that deliver them to merchants. */
@Module({
  imports: [
    DatabaseModule,
    JobsModule,
    TypeOrmModule.forFeature([WebhookEndpoint, WebhookDelivery, WebhookDeliveryAttempt]),
  ],
  controllers: [WebhookEndpointsController, EventsController],
  providers: [
    {
      provide: WebhooksOut,
      inject: [DataSource, Pool, Clock, Ids, Encryption, Registry, Config],
      useFactory: (
        dataSource: DataSource,
        sql: Pool,
        clock: Clock,
        ids: Ids,
        seal: Encryption,
        metrics: Registry,
        { webhookTargets: targets, eventRetentionDays }: Config,
      ): WebhooksOut =>
        webhooksOut({
          dataSource,
          sql,
          clock,
          ids,
          seal,
          metrics,
          targets,
          retentionMs: eventRetentionDays * DAY_MS,
        }),
    },
    {
      provide: WebhookEndpointsService,
      inject: [WebhooksOut],
      useFactory: ({ endpoints }: WebhooksOut) => endpoints,
    },
    { provide: EventsService, inject: [WebhooksOut], useFactory: ({ events }: WebhooksOut) => events },
  ],
})
export class OutboundWebhooksModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly outgoing: WebhooksOut,
  ) {}

  onModuleInit(): void {
    const { kinds, retryPolicies, outboxSource, task } = this.outgoing;
    this.jobs.register({
      kinds,
      retryPolicies,
      outboxSources: [{ take: outboxSource, limit: FAN_OUT_BATCH }],
      periodicTasks: () => [task],
    });
  }
}
