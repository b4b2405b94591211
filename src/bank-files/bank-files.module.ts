import { Module, type OnModuleInit } from '@nestjs/common';
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
    private readonly jobs: JobRegistry,
    private readonly files: BankFiles,
    private readonly metrics: Registry,
    private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    registerBankMetrics(this.metrics, this.pool, this.clock);
    if (this.files.names.length > 0) this.jobs.register({ periodicTasks: () => [this.files] });
  }
}
