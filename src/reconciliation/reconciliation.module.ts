import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { ReportBreaks } from './report-breaks.js';
import { ReportEvidence } from './report-evidence.js';
import { Runs } from './runs.js';

/** Reports of PSPs, held against the ledger. */
@Module({
  imports: [DatabaseModule, JobsModule, RequestStorageModule],
  providers: [ReportEvidence, ReportBreaks, Runs],
  exports: [ReportBreaks, Runs],
})
export class ReconciliationModule implements OnModuleInit {
  constructor(
    @Inject(JobRegistry) private readonly jobs: JobRegistry,
    @Inject(ReportEvidence) private readonly evidence: ReportEvidence,
    @Inject(ReportBreaks) private readonly breaks: ReportBreaks,
    @Inject(Registry) private readonly metrics: Registry,
  ) {}

  onModuleInit(): void {
    this.breaks.register(this.metrics);
    this.jobs.register({ periodicTasks: () => [this.evidence] });
  }
}
