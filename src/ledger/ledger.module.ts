import { Module, type OnModuleInit } from '@nestjs/common';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { LedgerPoster } from './ledger-poster.js';
import { Ledger } from './ledger.js';

/** Double entry, posted behind the requests from what operations came to. */
@Module({
  imports: [DatabaseModule, JobsModule],
  providers: [LedgerPoster, Ledger],
  exports: [Ledger, LedgerPoster],
})
export class LedgerModule implements OnModuleInit {
  constructor(
    private readonly jobs: JobRegistry,
    private readonly poster: LedgerPoster,
  ) {}

  onModuleInit(): void {
    this.jobs.register({ periodicTasks: () => [this.poster] });
  }
}
