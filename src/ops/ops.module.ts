import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { ReconciliationModule } from '../reconciliation/reconciliation.module.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { LedgerController } from './ledger.controller.js';
import { UploadedReports } from './uploaded-reports.js';
import { ReconciliationController } from './reconciliation.controller.js';

/** The routes that operators use in both ways: from programs with their token, and signed in to the console. */
@Module({
  imports: [JobsModule, LedgerModule, OperatorsModule, ReconciliationModule],
  controllers: [DeadLettersController, LedgerController, ReconciliationController],
  providers: [UploadedReports],
})
export class OpsModule {}
