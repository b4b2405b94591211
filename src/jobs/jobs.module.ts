import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { DatabaseModule } from '../database/database.module.js';
import { registerDeadLetterMetrics } from './dead-letter-metrics.js';
import { DeadLetterEntity } from './dead-letter.entity.js';
import { DeadLetters } from './dead-letters.js';
import { JobRegistry } from './job-registry.js';
import { StagedJobEntity } from './staged-job.entity.js';
import { StagedJobs } from './staged-jobs.js';

/** Staging jobs, registering what they do, and those that were given up. Runs none: see JobsWorkerModule. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([StagedJobEntity, DeadLetterEntity])],
  providers: [
    JobRegistry,
    {
      provide: StagedJobs,
      inject: [Clock, Ids],
      useFactory: (clock: Clock, ids: Ids) => new StagedJobs(clock, ids),
    },
    {
      provide: DeadLetters,
      inject: [Pool, Clock, Ids, StagedJobs],
      useFactory: (pool: Pool, clock: Clock, ids: Ids, staged: StagedJobs) =>
        new DeadLetters({ pool, clock, ids, staged }),
    },
  ],
  exports: [JobRegistry, StagedJobs, DeadLetters],
})
export class JobsModule implements OnModuleInit {
  constructor(
    @Inject(DeadLetters) private readonly deadLetters: DeadLetters,
    @Inject(Registry) private readonly metrics: Registry,
  ) {}

  onModuleInit(): void {
    registerDeadLetterMetrics(this.deadLetters, this.metrics);
  }
}
