import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { ReportBreaks } from './report-breaks.js';
import { ReportEvidence } from './report-evidence.js';

/** Reports of PSPs, held against the ledger. */
@Module({ imports: [DatabaseModule, JobsModule, RequestStorageModule], providers: [ReportEvidence] })
export class ReconciliationModule implements OnModuleInit {
  constructor(
    @Inject(JobRegistry) private readonly jobs: JobRegistry,
    @Inject(ReportEvidence) private readonly evidence: ReportEvidence,
    @Inject(DataSource) private readonly data: DataSource,
    @Inject(Registry) private readonly metrics: Registry,
  ) {}

  onModuleInit(): void {
    new ReportBreaks(this.data).register(this.metrics);
    this.jobs.register({ periodicTasks: () => [this.evidence] });
  }
}
