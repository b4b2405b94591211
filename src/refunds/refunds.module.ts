import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { PaymentsModule } from '../payments/payments.module.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { Refund } from './refund.entity.js';
import { RefundsController } from './refunds.controller.js';
import { RefundsGrpc } from './refunds.grpc.js';
import { RefundsService } from './refunds.service.js';

/** Refunds: asking for one, and reading them. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyModule,
    PaymentsModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([Refund]),
  ],
  controllers: [RefundsController, RefundsGrpc],
  providers: [RefundsService],
  exports: [RefundsService],
})
export class RefundsModule implements OnModuleInit {
  constructor(
    private readonly runner: IdempotentRunner,
    private readonly refunds: RefundsService,
  ) {}

  onModuleInit(): void {
    this.runner.register([this.refunds.flow]);
  }
}
