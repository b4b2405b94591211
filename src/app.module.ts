import { type DynamicModule, Module } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { DatabaseModule } from './database/database.module.js';
import { AbandonedLocksModule } from './database/abandoned-locks.module.js';
import { JobsWorkerModule } from './jobs/jobs-worker.module.js';
import { Listeners } from './listeners.js';
import { MerchantsModule } from './merchants/merchants.module.js';
import { OperationsLogModule } from './monitoring/operations-log.module.js';
import { PaymentsModule } from './payments/payments.module.js';
import { PayoutsModule } from './payouts/payouts.module.js';
import { refuseSlowPsps } from './psp/psp.module.js';
import { PspsConfig } from './psp/psps-file.js';
import { InboundWebhooksModule } from './webhooks/incoming/inbound-webhooks.module.js';
import { OutboundWebhooksModule } from './webhooks/outgoing/outbound-webhooks.module.js';

/** What a process is for. `commands`: one command, which uses what is here and starts nothing by itself. */
export type Role = Config['role'] | 'commands';

/** What is read before the application is made, because it says of what it is made. */
export interface Settings {
  readonly config: Config;
  readonly psps: PspsConfig;
  readonly logger: Logger;
}

/** The whole application; no other file knows all modules. */
@Module({})
export class AppModule {
  /** @throws ConfigError */
  static forRole(role: Role, { config, psps, logger }: Settings): DynamicModule {
    refuseSlowPsps(config, psps);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config, logger, [{ provide: PspsConfig, useValue: psps }]),
        DatabaseModule,
        OperationsLogModule,
        PaymentsModule,
        PayoutsModule,
        InboundWebhooksModule,
        OutboundWebhooksModule,
        ...(role === 'all' || role === 'api' ? [MerchantsModule] : []),
        ...(role === 'all' || role === 'worker' ? [JobsWorkerModule] : []),
        ...(role === 'commands' ? [] : [AbandonedLocksModule]),
      ],
      providers: role === 'commands' ? [] : [Listeners],
    };
  }
}
