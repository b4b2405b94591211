import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { PspModule } from '../psp/psp.module.js';
import { isOfPayout } from '../request-storage/entity-key.js';
import { OperationRegistry } from '../request-storage/operation-registry.js';
import { RouteWorker } from '../request-storage/route-worker.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { PayoutOperations } from './payout-operations.js';
import { Payout, PayoutTransition } from './payout.entity.js';
import { PayoutReader } from './payout.reader.js';
import { PayoutsController } from './payouts.controller.js';
import { PayoutsGrpc } from './payouts.grpc.js';
import { PayoutsService } from './payouts.service.js';
import { Recipient } from './recipient.entity.js';
import { Recipients } from './recipients.js';
import { RecipientsController } from './recipients.controller.js';
import { RecipientsGrpc } from './recipients.grpc.js';

/** Money out, one payout to a recipient after another. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyModule,
    PspModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([Payout, PayoutTransition, Recipient]),
  ],
  controllers: [PayoutsController, PayoutsGrpc, RecipientsController, RecipientsGrpc],
  providers: [PayoutReader, PayoutOperations, PayoutsService, Recipients],
  exports: [Recipients],
})
export class PayoutsModule implements OnModuleInit {
  constructor(
    private readonly registry: OperationRegistry,
    private readonly tools: OperationTools,
    private readonly operations: PayoutOperations,
    private readonly runner: IdempotentRunner,
    private readonly payouts: PayoutsService,
    private readonly reader: PayoutReader,
  ) {}

  onModuleInit(): void {
    this.registry.register({
      owns: isOfPayout,
      worker: new RouteWorker(this.operations, this.tools),
      subjectOf: (id) => this.reader.subjectOf(id),
    });
    this.runner.register([this.payouts.flow]);
  }
}
