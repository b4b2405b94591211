import { type DynamicModule, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { BankFilesModule } from './bank-files/bank-files.module.js';
import { type Config, isLoopback } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { AbandonedLocksModule } from './database/abandoned-locks.module.js';
import { DatabaseModule } from './database/database.module.js';
import { DocsModule } from './docs/docs.module.js';
import { AuthenticationModule } from './http/authentication.module.js';
import { HttpModule } from './http/http.module.js';
import { ApiLimits, limitsOf } from './http/limits.js';
import { OpsListenerModule } from './http/ops-listener.js';
import { JobsWorkerModule } from './jobs/jobs-worker.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { MonitoringModule } from './monitoring/monitoring.module.js';
import { OperationsLogModule } from './monitoring/operations-log.module.js';
import { TracingModule } from './monitoring/tracing.module.js';
import { AlertsModule } from './alerts/alerts.module.js';
import { ActivityModule } from './console/activity.module.js';
import { ConsoleModule } from './console/console.module.js';
import { OpsModule } from './ops/ops.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { PayoutsModule } from './payouts/payouts.module.js';
import { refuseSlowPsps } from './psp/psp.module.js';
import { PspAccountsModule } from './psp-accounts/psp-accounts.module.js';
import { PspsConfig } from './psp/psps-config.js';
import { ReconciliationModule } from './reconciliation/reconciliation.module.js';
import { OrdersModule } from './orders/orders.module.js';
import { RefundsModule } from './refunds/refunds.module.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { EventsModule } from './events/events.module.js';

/** The work of a process. `commands`: one command, which uses what is here and starts nothing by itself. */
export type Role = Config['role'] | 'commands';

/** Settings that decide which modules are loaded. */
export interface Settings {
  readonly config: Config;
  readonly psps: PspsConfig;
  readonly logger: Logger;
}

/** The other roles are standalone applications of Nest, in which controllers have no route. */
export function servesApi(role: Role): boolean {
  return role === 'all' || role === 'api';
}

/** Metrics show figures of the business: they are on the public port only if it is bound to a loopback address. */
export function hasOpenMetrics({ monitoringPort, host }: Config): boolean {
  return monitoringPort === null && isLoopback(host);
}

/** The whole application; no other file knows all modules. */
@Module({})
export class AppModule {
  /** @throws ConfigError */
  static forRole(role: Role, { config, psps, logger }: Settings): DynamicModule {
    refuseSlowPsps(config, psps.psps);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config, logger, [
          { provide: PspsConfig, useValue: psps },
          { provide: ApiLimits, useValue: limitsOf(config) },
        ]),
        // Before all that adds hooks of its own to those of every request.
        ...(servesApi(role) ? [HttpModule, OpsListenerModule, AuthenticationModule, DocsModule] : []),
        DatabaseModule,
        OperationsLogModule,
        ...TracingModule.whereTraced(),
        PspAccountsModule,
        PaymentsModule,
        RefundsModule,
        OrdersModule,
        PayoutsModule,
        EventsModule,
        NotificationsModule,
        BankFilesModule,
        LedgerModule,
        ReconciliationModule,
        ActivityModule,
        AlertsModule,
        ...(servesApi(role) ? [ConsoleModule, OpsModule] : []),
        ...(servesApi(role) ? [MonitoringModule.besideApi(hasOpenMetrics(config))] : []),
        ...(role === 'worker' ? [MonitoringModule] : []),
        ...(role === 'all' || role === 'worker' ? [JobsWorkerModule] : []),
        ...(role === 'commands' ? [] : [AbandonedLocksModule]),
      ],
    };
  }
}
