import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { JobRegistry } from '../jobs/job-registry.js';
import { JobsModule } from '../jobs/jobs.module.js';
import { PspModule } from '../psp/psp.module.js';
import { isOfPayment } from '../request-storage/entity-key.js';
import { OperationRegistry } from '../request-storage/operation-registry.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { DuplicateGuard } from './duplicate-guard.entity.js';
import { OrderedPayments } from './ordered-payments.js';
import { PaymentOperations } from './payment-operations.js';
import { PaymentDisputes } from './payment-disputes.js';
import { PaymentRouteWorker } from './payment-route-worker.js';
import { PaymentTasks } from './payment-tasks.js';
import { PaymentWatch } from './payment-watch.js';
import { Order } from './order.entity.js';
import { Payment, PaymentTransition } from './payment.entity.js';
import { PaymentReader } from './payment.reader.js';
import { DisputesController, PaymentsController } from './payments.controller.js';
import { PaymentsGrpc } from './payments.grpc.js';
import { PaymentsService } from './payments.service.js';

/** Payments and their operations: charge, authorize, capture, cancel, complete, refund, dispute. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyModule,
    JobsModule,
    PspModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([Payment, PaymentTransition, DuplicateGuard, Order]),
  ],
  controllers: [PaymentsController, DisputesController, PaymentsGrpc],
  providers: [
    PaymentReader,
    PaymentsService,
    OrderedPayments,
    PaymentWatch,
    PaymentOperations,
    PaymentRouteWorker,
    {
      provide: PaymentDisputes,
      inject: [OperationTools, PaymentReader],
      useFactory: (tools: OperationTools, reader: PaymentReader) =>
        new PaymentDisputes({
          ...tools,
          ofReference: (psp, reference) => reader.ofReference(psp, reference),
          merchantOf: async (id) => (await reader.subjectOf(id))?.merchantId ?? null,
        }),
    },
    PaymentTasks,
  ],
  exports: [PaymentOperations, PaymentsService],
})
export class PaymentsModule implements OnModuleInit {
  constructor(
    private readonly registry: OperationRegistry,
    private readonly runner: IdempotentRunner,
    private readonly jobs: JobRegistry,
    private readonly payments: PaymentsService,
    private readonly worker: PaymentRouteWorker,
    private readonly reader: PaymentReader,
    private readonly disputes: PaymentDisputes,
    private readonly tasks: PaymentTasks,
  ) {}

  onModuleInit(): void {
    this.registry.register({
      owns: isOfPayment,
      worker: this.worker,
      subjectOf: (id) => this.reader.subjectOf(id),
      recordDispute: (psp, item) => this.disputes.record(psp, item),
    });
    this.runner.register(Object.values(this.payments.flows));
    this.jobs.register({ periodicTasks: () => this.tasks.all() });
  }
}
