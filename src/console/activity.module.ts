import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { ActivityCounter } from './activity-counter.js';

/** The counts that the charts of the console read, made by a worker. */
@Module({ imports: [DatabaseModule, JobsModule], providers: [ActivityCounter] })
export class ActivityModule implements OnModuleInit {
  constructor(
    @Inject(JobRegistry) private readonly jobs: JobRegistry,
    @Inject(ActivityCounter) private readonly counter: ActivityCounter,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ periodicTasks: () => [this.counter] });
  }
}
