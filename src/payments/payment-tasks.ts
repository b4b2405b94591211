import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { prune } from '../database/prune.js';
import { type PeriodicTask } from '../jobs/periodic-task-leases.js';
import { PspsConfig } from '../psp/psps-config.js';
import { accountFilters } from '../request-storage/account-filters.js';
import { OperationRegistry } from '../request-storage/operation-registry.js';
import { OperationTools } from '../request-storage/operation-tools.js';
import { OrphanCompensator, OrphanPolicies } from './orphan-compensator.js';
import { PaymentRouteWorker } from './payment-route-worker.js';

/** The periodic tasks of payments: give back orphan effects, delete old duplicate guards. */
@Injectable()
export class PaymentTasks {
  constructor(
    private readonly tools: OperationTools,
    private readonly registry: OperationRegistry,
    private readonly worker: PaymentRouteWorker,
    private readonly psps: PspsConfig,
    private readonly pool: Pool,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  all(): readonly PeriodicTask[] {
    const { tools, registry, worker, config, logger } = this;
    const duplicates = new DuplicateRetention(this.pool);
    const policies = new OrphanPolicies(this.pool, config.orphans);
    return [
      ...accountFilters(this.psps).map(({ suffix, psp, slower }) => {
        const orphans = new OrphanCompensator(
          tools.storage,
          (due, traceId) => registry.of(due.entityKey).recheckRoute(due, traceId),
          (orphan, traceId) => worker.compensate(orphan, traceId),
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

/** Deletes the guards whose window has ended, by the store's clock, unless the payment is still in doubt. */
class DuplicateRetention {
  constructor(private readonly pool: Pool) {}

  /** One pass, with a bound. */
  async runOnce(): Promise<{ readonly deleted: number }> {
    const deleted = await prune(async (limit) => {
      const { rowCount } = await this.pool.query(
        `DELETE FROM duplicate_guards WHERE (merchant_id, digest) IN (
           SELECT merchant_id, digest FROM duplicate_guards g
            WHERE until <= statement_timestamp() AND NOT EXISTS (
              SELECT FROM payments p WHERE p.merchant_id = g.merchant_id AND p.id = g.payment_id AND p.status = 'processing')
            LIMIT $1 FOR UPDATE SKIP LOCKED)`,
        [limit],
      );
      return rowCount ?? 0;
    });
    return { deleted };
  }
}
