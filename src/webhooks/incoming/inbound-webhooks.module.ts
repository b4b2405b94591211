import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
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

/** Notifications of PSPs: taken in by an API, applied by a worker to the operations that they are about. */
@Module({
  imports: [DatabaseModule, JobsModule, RequestStorageModule, TypeOrmModule.forFeature([InboxEntry])],
  providers: [
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
export class InboundWebhooksModule implements OnModuleInit {
  constructor(
    @Inject(JobRegistry) private readonly jobs: JobRegistry,
    @Inject(IncomingWebhooks) private readonly incoming: IncomingWebhooks,
  ) {}

  onModuleInit(): void {
    const { kind, chore } = this.incoming;
    this.jobs.register({ kinds: [kind], periodicTasks: () => [chore] });
  }
}
