import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { Counter, Registry } from 'prom-client';
import { Config } from '../config/config.js';
import { Store } from '../core/change.js';
import { Clock } from '../core/clock.js';
import { Encryption } from '../core/encryption.js';
import { Ids } from '../core/ids.js';
import { LockHolder } from '../core/lock-holder.js';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { IdempotencyKey } from './idempotency-key.entity.js';
import { IdempotentRunner, type KeyResult } from './idempotent-runner.js';
import { Reaper } from './reaper.js';

const DAY_MS = 24 * 3_600_000;

/** Requests under idempotency keys: run, resumed, answered once, and deleted after their retention. */
@Module({
  imports: [DatabaseModule, JobsModule, TypeOrmModule.forFeature([IdempotencyKey])],
  providers: [
    {
      provide: IdempotentRunner,
      inject: [Store, Clock, Ids, LockHolder, Encryption, Config, Registry],
      useFactory: (
        store: Store,
        clock: Clock,
        ids: Ids,
        holder: LockHolder,
        seal: Encryption,
        { lockTtlMs, deadlineMs }: Config,
        metrics: Registry,
      ) => {
        const results = new Counter({
          name: 'payonce_idempotency_total',
          help: 'Requests under an Idempotency-Key: new, replayed, in_progress, reused, failed',
          labelNames: ['result'],
          registers: [metrics],
        });
        const onEnded = (result: KeyResult) => results.inc({ result });
        return new IdempotentRunner({
          store,
          clock,
          ids,
          holder,
          seal,
          leaseMs: lockTtlMs,
          deadlineMs,
          onEnded,
        });
      },
    },
  ],
  exports: [IdempotentRunner, TypeOrmModule],
})
export class IdempotencyModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly pool: Pool,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    const { jobs, pool, config } = this;
    const reaper = new Reaper(pool, config.keyRetentionDays * DAY_MS);
    jobs.register({
      periodicTasks: () => [{ name: 'reaper', everyMs: 600_000, runOnce: () => reaper.runOnce() }],
    });
  }
}
