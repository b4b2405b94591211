import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { Pool } from 'pg';
import { Registry } from 'prom-client';
import { Clock } from '../core/clock.js';
import { DatabaseModule } from '../database/database.module.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { ReconciliationModule } from '../reconciliation/reconciliation.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { registerBankMetrics } from './bank-metrics.js';
import { BankFiles } from './bank-files.js';
import { BankInstructionsModule } from './bank-instructions.module.js';
import { Batches } from './batches.js';
import { Receiver } from './receiver.js';
import { Sender } from './sender.js';

/** Banks that speak in files: what was collected is sent, and what the banks say of it is taken in. */
@Module({
  imports: [BankInstructionsModule, DatabaseModule, JobsModule, NotificationsModule, ReconciliationModule],
  providers: [Batches, Sender, Receiver, BankFiles],
  exports: [BankFiles],
})
export class BankFilesModule implements OnModuleInit {
  constructor(
    @Inject(JobRegistry) private readonly jobs: JobRegistry,
    @Inject(BankFiles) private readonly files: BankFiles,
    @Inject(Registry) private readonly metrics: Registry,
    @Inject(Pool) private readonly pool: Pool,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    registerBankMetrics(this.metrics, this.pool, this.clock);
    if (this.files.names.length > 0) this.jobs.register({ periodicTasks: () => [this.files] });
  }
}
