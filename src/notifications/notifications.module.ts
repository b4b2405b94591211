import { Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { type FastifyInstance } from 'fastify';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { noticeReaderOf, oncePer, PspsConfig } from '../psp/psps-config.js';
import { ReconciliationModule } from '../reconciliation/reconciliation.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { ApplyNotice } from './apply-notification.js';
import { Arrivals } from './arrivals.js';
import { InboxEntry } from './inbox-entry.entity.js';
import { InboxRetention } from './inbox-retention.js';
import { Inbox } from './inbox.js';
import { IncomingMetrics } from './incoming-metrics.js';
import { NotificationGate } from './notification-gate.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationReaders, NotificationsService } from './notifications.service.js';

/** Notifications of PSPs: stored by an API, applied by a worker to their operations. */
@Module({
  imports: [
    DatabaseModule,
    JobsModule,
    RequestStorageModule,
    ReconciliationModule,
    TypeOrmModule.forFeature([InboxEntry]),
  ],
  controllers: [NotificationsController],
  providers: [
    NotificationsService,
    NotificationGate,
    Inbox,
    Arrivals,
    ApplyNotice,
    InboxRetention,
    IncomingMetrics,
    { provide: NotificationReaders, inject: [PspsConfig], useFactory: readersOf },
  ],
  // Banks send files, not notifications.
  exports: [Arrivals],
})
export class NotificationsModule implements OnModuleInit, NestModule {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly kind: ApplyNotice,
    private readonly retention: InboxRetention,
    private readonly gate: NotificationGate,
    private readonly host: HttpAdapterHost,
  ) {}

  configure(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', async (request, reply) => this.gate.expect(request, reply));
    fastify.addHook('preValidation', async (request) => this.gate.admit(request));
  }

  onModuleInit(): void {
    this.jobs.register({ kinds: [this.kind], periodicTasks: () => [this.retention] });
  }
}

function readersOf(config: PspsConfig): NotificationReaders {
  const readerOf = oncePer(noticeReaderOf);
  return {
    get: (name) => {
      const account = config.named(name);
      return (account && readerOf(account)) ?? undefined;
    },
  };
}
