import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { PspsConfig } from '../psp/psps-config.js';
import { accountFilters } from '../request-storage/account-filters.js';
import { OperationOwners } from '../request-storage/operation-owners.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { DuplicateRetention } from './duplicate-retention.js';
import { OrphanCompensator } from './orphan-compensator.js';
import { OrphanPolicies } from './orphan-policies.js';
import { PaymentResolver } from './payment-resolver.js';

/** The periodic tasks of payments: give back orphan effects, delete old duplicate guards. */
@Injectable()
export class PaymentTasks {
  constructor(
    @Inject(OperationTools) private readonly tools: OperationTools,
    @Inject(OperationOwners) private readonly owners: OperationOwners,
    @Inject(PaymentResolver) private readonly resolver: PaymentResolver,
    @Inject(PspsConfig) private readonly psps: PspsConfig,
    @Inject(Pool) private readonly pool: Pool,
    @Inject(Config) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  all(): readonly PeriodicTask[] {
    const { tools, owners, resolver, config, logger } = this;
    const duplicates = new DuplicateRetention(this.pool);
    const policies = new OrphanPolicies(this.pool, config.orphans);
    return [
      ...accountFilters(this.psps).map(({ suffix, psp, slower }) => {
        const orphans = new OrphanCompensator(
          tools.storage,
          (due, traceId) => owners.of(due.entityKey).recheckRoute(due, traceId),
          (orphan, traceId) => resolver.compensate(orphan, traceId),
          () => policies.automatic(),
          () => tools.ids.uuid(),
          (err, { entityKey, route }) =>
            logger.error({ err, entity_key: entityKey, route }, 'an orphan effect was not dealt with'),
          psp,
        );
        return { name: `orphans${suffix}`, everyMs: 2_000 * slower, runOnce: () => orphans.runOnce() };
      }),
      { name: 'duplicates', everyMs: 60_000, runOnce: () => duplicates.runOnce() },
    ];
  }
}
