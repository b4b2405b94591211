import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '../database/database.module.js';
import { FlowRegistry } from '../idempotency/flow-registry.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { PspModule } from '../psp/psp.module.js';
import { PspRouter } from '../psp/router.js';
import { isOfPayout } from '../request-storage/entity-key.js';
import { OperationOwners } from '../request-storage/operation-owners.js';
import { OperationResolver } from '../request-storage/operation-resolver.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { candidatesOf } from './create-payout.flow.js';
import { PayoutFlow } from './payout-flow.js';
import { Payout, PayoutTransition } from './payout.entity.js';
import { PayoutReader } from './payout.reader.js';
import { PayoutsService } from './payouts.service.js';

/** Money out, one payout to a recipient after another. */
@Module({
  imports: [
    DatabaseModule,
    IdempotencyModule,
    PspModule,
    RequestStorageModule,
    TypeOrmModule.forFeature([Payout, PayoutTransition]),
  ],
  providers: [
    PayoutReader,
    {
      provide: PayoutsService,
      inject: [OperationTools, IdempotentRunner, PspRouter, PayoutReader],
      useFactory: (tools: OperationTools, keyed: IdempotentRunner, router: PspRouter, reader: PayoutReader) =>
        new PayoutsService({ ...tools, keyed, candidates: candidatesOf(router), reader }),
    },
  ],
  exports: [PayoutsService],
})
export class PayoutsModule implements OnModuleInit {
  constructor(
    @Inject(OperationOwners) private readonly owners: OperationOwners,
    @Inject(OperationTools) private readonly tools: OperationTools,
    @Inject(FlowRegistry) private readonly flows: FlowRegistry,
    @Inject(PayoutsService) private readonly payouts: PayoutsService,
    @Inject(PayoutReader) private readonly reader: PayoutReader,
  ) {}

  onModuleInit(): void {
    this.owners.register({
      owns: isOfPayout,
      resolver: new OperationResolver(new PayoutFlow(this.tools), this.tools),
      subjectOf: (id) => this.reader.subjectOf(id),
    });
    this.flows.register(Object.values(this.payouts.flows));
  }
}
