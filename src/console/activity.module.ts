import { Module, type OnModuleInit } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { ActivityCounter } from './activity-counter.js';

/** The counts that the charts of the console read, made by a worker. */
@Module({ imports: [DatabaseModule, JobsModule], providers: [ActivityCounter] })
export class ActivityModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly counter: ActivityCounter,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ periodicTasks: () => [this.counter] });
  }
}
