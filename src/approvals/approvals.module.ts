import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { OperatorsModule } from '../operators/operators.module.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { PspAccountsModule } from '../psp-accounts/psp-accounts.module.js';
import { RefundsModule } from '../refunds/refunds.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { Approval } from './approval.entity.js';
import { ApprovalDetails } from './approval-details.js';
import { ApprovalsController } from './approvals.controller.js';
import { Approvals } from './approvals.js';
import { EvidenceFile } from './evidence-file.entity.js';
import { EvidenceFiles } from './evidence-files.js';
import { EvidenceController } from './evidence.controller.js';
import { OperationSnooze } from './operation-snooze.entity.js';
import { OperationsController } from './operations.controller.js';
import { OperatorActions } from './actions.js';
import { PaymentActs } from './payment-actions.js';
import { SettingActs } from './setting-actions.js';
import { Snoozes } from './snoozes.js';

/** The acts of operators: done at once, or once a second person has approved them. */
@Module({
  imports: [
    DatabaseModule,
    OperatorsModule,
    MerchantsModule,
    PspAccountsModule,
    RequestStorageModule,
    IdempotencyModule,
    PaymentsModule,
    RefundsModule,
    TypeOrmModule.forFeature([Approval, EvidenceFile, OperationSnooze]),
  ],
  controllers: [ApprovalsController, OperationsController, EvidenceController],
  providers: [Approvals, ApprovalDetails, OperatorActions, PaymentActs, SettingActs, Snoozes, EvidenceFiles],
  exports: [Approvals, OperatorActions, SettingActs, Snoozes, EvidenceFiles],
})
export class ApprovalsModule {}
