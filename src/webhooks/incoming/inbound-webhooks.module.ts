import { Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type FastifyInstance } from 'fastify';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { Clock } from '../../core/clock.js';
import { Ids } from '../../core/ids.js';
import { DatabaseModule } from '../../database/database.module.js';
import { JobRegistry } from '../../jobs/job-registry.js';
import { JobsModule } from '../../jobs/jobs.module.js';
import { noticeReadersOf, PspsConfig } from '../../psp/psps-file.js';
import { OperationOwners } from '../../request-storage/operation-owners.js';
import { RequestStorageModule } from '../../request-storage/request-storage.module.js';
import { InboxEntry } from './inbox-entry.entity.js';
import { IncomingWebhooks, incomingWebhooks } from './incoming-webhooks.js';
import { NotificationGate } from './notification-gate.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsService } from './notifications.service.js';

/** Notifications of PSPs: taken in by an API, applied by a worker to the operations that they are about. */
@Module({
  imports: [DatabaseModule, JobsModule, RequestStorageModule, TypeOrmModule.forFeature([InboxEntry])],
  controllers: [NotificationsController],
  providers: [
    NotificationGate,
    {
      provide: NotificationsService,
      inject: [IncomingWebhooks],
      useFactory: ({ notifications }: IncomingWebhooks) => notifications,
    },
    {
      provide: IncomingWebhooks,
      inject: [DataSource, Pool, Clock, Ids, Registry, PspsConfig, OperationOwners],
      useFactory: (
        dataSource: DataSource,
        pool: Pool,
        clock: Clock,
        ids: Ids,
        metrics: Registry,
        psps: PspsConfig,
        facts: OperationOwners,
      ): IncomingWebhooks => {
        const readers = noticeReadersOf(psps);
        const readerOf = (account: string) => readers.get(account) ?? null;
        return incomingWebhooks({ dataSource, pool, clock, ids, metrics, readerOf, facts });
      },
    },
  ],
  exports: [IncomingWebhooks],
})
export class InboundWebhooksModule implements OnModuleInit, NestModule {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly incoming: IncomingWebhooks,
    private readonly gate: NotificationGate,
    private readonly host: HttpAdapterHost,
  ) {}

  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request) => this.gate.check(request));
  }

  onModuleInit(): void {
    const { kind, task } = this.incoming;
    this.jobs.register({ kinds: [kind], periodicTasks: () => [task] });
  }
}
