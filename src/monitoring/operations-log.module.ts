import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { Pool } from 'pg';
import { type Logger } from 'pino';
import { Registry } from 'prom-client';
import { LOGGER } from '../config/config.module.js';
import { DatabaseClock } from '../core/database-clock.js';
import { type Hold } from '../core/hold.js';
import { PostgresStore } from '../database/commit/postgres-store.js';
import { DatabaseModule } from '../database/database.module.js';
import { Installation } from '../database/installation.js';
import { RequestStorage } from '../request-storage/request-storage.js';
import { RequestStorageModule } from '../request-storage/request-storage.module.js';
import { registerLookedUp } from '../core/looked-up-gauge.js';
import { registerOperationMetrics } from './operation-metrics.js';
import { logCommit, logPspCall } from './operations-log.js';

/** Writes the operations log, and says how far this machine's clock is off and what is held. */
@Module({ imports: [DatabaseModule, RequestStorageModule] })
export class OperationsLogModule implements OnModuleInit {
  constructor(
    private readonly store: PostgresStore,
    private readonly storage: RequestStorage,
    private readonly clock: DatabaseClock,
    private readonly installation: Installation,
    private readonly metrics: Registry,
    private readonly pool: Pool,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const { store, storage, clock, installation, metrics, pool, logger } = this;
    store.onCommitted((changes) => logCommit(logger, changes));
    store.onCommitted(registerOperationMetrics(metrics, pool));
    storage.onAnswered((answered) => logPspCall(logger, answered));
    // Beyond 2 s the process proves nothing and sends nothing again.
    registerLookedUp(metrics, {
      name: 'payonce_clock_difference_seconds',
      help: "This process's wall clock minus the database's clock",
      look: () => {
        const differenceMs = clock.differenceMs();
        return Promise.resolve(differenceMs === null ? [] : [{ value: differenceMs / 1_000 }]);
      },
    });
    const registerHold = (name: string, help: string, holds: readonly Hold[]) =>
      registerLookedUp(metrics, {
        name,
        help,
        look: () => Promise.resolve([{ value: holds.includes(installation.session.hold()) ? 1 : 0 }]),
      });
    // It is while the database is away, too: what answers next may be another one.
    registerHold('payonce_failover_held', '1 while no other PSP is asked, because commits may be lost', [
      'failover',
      'operations',
      'unknown',
    ]);
    registerHold(
      'payonce_operations_held',
      '1 while operations that several PSPs could carry out are refused, until a person resumes (docs/operations.md#lost-commits)',
      ['operations'],
    );
  }
}
