import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Registry } from 'prom-client';
import { DatabaseModule } from '../database/database.module.js';
import { registerDeadLetterMetrics } from './dead-letter-metrics.js';
import { DeadLetter } from './dead-letter.entity.js';
import { DeadLetters } from './dead-letters.js';
import { JobRegistry } from './job-registry.js';
import { Schedule } from './schedule.entity.js';
import { StagedJob } from './staged-job.entity.js';
import { StagedJobs } from './staged-jobs.js';

/** Staging jobs, registering their kinds, and dead letters. Runs none: see JobsWorkerModule. */
@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([StagedJob, DeadLetter, Schedule])],
  providers: [JobRegistry, StagedJobs, DeadLetters],
  exports: [JobRegistry, StagedJobs, DeadLetters],
})
export class JobsModule implements OnModuleInit {
  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly metrics: Registry,
  ) {}

  onModuleInit(): void {
    registerDeadLetterMetrics(this.deadLetters, this.metrics);
  }
}
