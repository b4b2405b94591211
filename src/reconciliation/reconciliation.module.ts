import { Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { Breaks } from './breaks.js';
import { ReportEvidence } from './report-evidence.js';
import { Reports } from './reports.js';
import { ReportFetches } from './report-fetches.js';
import { Runs } from './runs.js';

/** Reports of PSPs, held against the ledger. */
@Module({
  imports: [DatabaseModule, JobsModule, RequestStorageModule],
  providers: [ReportEvidence, ReportFetches, Breaks, Reports, Runs],
  exports: [Breaks, ReportFetches, Reports, Runs],
})
export class ReconciliationModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly evidence: ReportEvidence,
    private readonly reports: Reports,
    private readonly breaks: Breaks,
    private readonly metrics: Registry,
  ) {}

  onModuleInit(): void {
    this.breaks.register(this.metrics);
    this.reports.register(this.metrics);
    this.jobs.register({ periodicTasks: () => [this.evidence, ...this.reports.periodicTasks] });
  }
}
