import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { Config } from '../config/config.js';
import { Store } from '../core/change.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids } from '../core/ids.js';
import { LockHolder } from '../core/lock-holder.js';
import { DatabaseModule } from '../database/database.module.js';
import { Installation } from '../database/installation.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { PspDirectory } from '../psp/psp-directory.js';
import { PspModule } from '../psp/psp.module.js';
import { PspsConfig } from '../psp/psps-config.js';
import { DueKeys } from './due-keys.js';
import { OperationRegistry } from './operation-registry.js';
import { OperationTools } from './operation-tools.js';
import { NonExecutionProof, OrphanEffect, PspAttempt, Route } from './route.entity.js';
import { PspReturns } from './psp-returns.js';
import { RequestStorage } from './request-storage.js';
import { RouteTasks } from './route-tasks.js';
import { SharedBreakers } from './shared-breakers.js';
import { StuckRoutes } from './stuck-list.js';

/** The record of all calls to PSPs, which no other module writes, and the advance of open routes. */
@Module({
  imports: [
    DatabaseModule,
    PspModule,
    IdempotencyModule,
    JobsModule,
    TypeOrmModule.forFeature([Route, PspAttempt, NonExecutionProof, OrphanEffect]),
  ],
  providers: [
    {
      provide: RequestStorage,
      inject: [Store, PspDirectory, Clock, Installation, Config, PspReturns],
      useFactory: (
        store: Store,
        psps: PspDirectory,
        clock: Clock,
        { session }: Installation,
        { lockTtlMs: leaseMs, deadlineMs }: Config,
        returns: PspReturns,
      ) => {
        const hold = () => session.hold();
        const backAt = (psp: string) => returns.backAt(psp);
        const storage = new RequestStorage({ store, psps, clock, hold, backAt, leaseMs, deadlineMs });
        storage.onAnswered((answered) => returns.heard(answered));
        return storage;
      },
    },
    {
      provide: OperationTools,
      inject: [Store, RequestStorage, Encryption, Clock, Ids, LockHolder],
      useFactory: (
        store: Store,
        storage: RequestStorage,
        seal: Encryption,
        clock: Clock,
        ids: Ids,
        holder: LockHolder,
      ): OperationTools => ({ store, storage, seal, clock, ids, holder, leaseMs: storage.leaseMs }),
    },
    OperationRegistry,
    DueKeys,
    PspReturns,
    RouteTasks,
    SharedBreakers,
  ],
  exports: [RequestStorage, OperationTools, OperationRegistry],
})
export class RequestStorageModule implements OnModuleInit {
  constructor(
    private readonly pool: Pool,
    private readonly metrics: Registry,
    private readonly jobs: JobRegistry,
    private readonly tasks: RouteTasks,
    private readonly psps: PspsConfig,
  ) {}

  onModuleInit(): void {
    new StuckRoutes(this.pool).register(this.metrics);
    this.jobs.register({ periodicTasks: () => this.tasks.all() });
    this.psps.onChange(() => this.jobs.makeTasksAgain());
  }
}
