import { Module } from '@nestjs/common';
import { JobsModule } from '../jobs/jobs.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { ReconciliationModule } from '../reconciliation/reconciliation.module.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { LedgerController } from './ledger.controller.js';
import { ReconciliationController } from './reconciliation.controller.js';

/** The API for operators, if there is a token for them. */
@Module({
  imports: [JobsModule, LedgerModule, ReconciliationModule],
  controllers: [DeadLettersController, LedgerController, ReconciliationController],
})
export class OpsModule {}
