import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { FlowRegistry } from '../idempotency/flow-registry.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { PspModule } from '../psp/psp.module.js';
import { PspRouter } from '../psp/router.js';
import { RefundReader } from '../refunds/refund.reader.js';
import { RefundsModule } from '../refunds/refunds.module.js';
import { isOfPayment } from '../request-storage/entity-key.js';
import { OperationOwners } from '../request-storage/operation-owners.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { routeOf } from './create-payment.flow.js';
import { DuplicateGuard } from './duplicate-guard.entity.js';
import { PaymentDisputes } from './payment-disputes.js';
import { PaymentResolver } from './payment-resolver.js';
import { PaymentTasks } from './payment-tasks.js';
import { Payment, PaymentTransition } from './payment.entity.js';
import { PaymentReader } from './payment.reader.js';
import { PaymentsService } from './payments.service.js';

/** Payments and what is done to them: charge, authorize, capture, cancel, complete, refund, dispute. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyModule,
    JobsModule,
    PspModule,
    RefundsModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([Payment, PaymentTransition, DuplicateGuard]),
  ],
  providers: [
    PaymentReader,
    {
      provide: PaymentsService,
      inject: [OperationTools, IdempotentRunner, PspRouter, PaymentReader, RefundReader],
      useFactory: (
        tools: OperationTools,
        keyed: IdempotentRunner,
        router: PspRouter,
        reader: PaymentReader,
        refundReader: RefundReader,
      ) => new PaymentsService({ ...tools, keyed, route: routeOf(router), reader, refundReader }),
    },
    {
      provide: PaymentResolver,
      inject: [OperationTools],
      useFactory: (tools: OperationTools) => new PaymentResolver(tools),
    },
    {
      provide: PaymentDisputes,
      inject: [OperationTools, PaymentReader],
      useFactory: (tools: OperationTools, reader: PaymentReader) =>
        new PaymentDisputes({
          ...tools,
          ofReference: (psp, reference) => reader.ofReference(psp, reference),
        }),
    },
    PaymentTasks,
  ],
  exports: [PaymentsService],
})
export class PaymentsModule implements OnModuleInit {
  constructor(
    @Inject(OperationOwners) private readonly owners: OperationOwners,
    @Inject(FlowRegistry) private readonly flows: FlowRegistry,
    @Inject(JobRegistry) private readonly jobs: JobRegistry,
    @Inject(PaymentsService) private readonly payments: PaymentsService,
    @Inject(PaymentResolver) private readonly resolver: PaymentResolver,
    @Inject(PaymentReader) private readonly reader: PaymentReader,
    @Inject(PaymentDisputes) private readonly disputes: PaymentDisputes,
    @Inject(PaymentTasks) private readonly tasks: PaymentTasks,
  ) {}

  onModuleInit(): void {
    this.owners.register({
      owns: isOfPayment,
      resolver: this.resolver,
      subjectOf: (id) => this.reader.subjectOf(id),
      recordDispute: (psp, item) => this.disputes.take(psp, item),
    });
    this.flows.register(Object.values(this.payments.flows));
    this.jobs.register({ periodicTasks: () => this.tasks.all() });
  }
}
