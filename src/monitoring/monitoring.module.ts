import { type DynamicModule, Module } from '@nestjs/common';
import { type Authenticator } from '../merchants/caller.js';
import { type MonitoringDependencies } from '../http/dependencies.js';
import { noAccounts } from '../http/notification-accounts.js';
import { requestHookProviders } from '../http/request-hooks.providers.js';
import { unauthorized } from '../http/headers.js';
import { HealthController, MetricsController } from './health.controller.js';

/** Nothing here asks for credentials; a route that did by mistake would refuse every caller. */
const refusing: Authenticator = { authenticate: () => Promise.reject(unauthorized()) };

/** Health and metrics as a Nest module. `createMonitoring` makes an application of it. */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest calls a dynamic module
export class MonitoringModule {
  static register(dependencies: MonitoringDependencies): DynamicModule {
    return {
      module: MonitoringModule,
      controllers: [HealthController, ...(dependencies.servesMetrics === false ? [] : [MetricsController])],
      providers: requestHookProviders(dependencies, {
        authenticator: refusing,
        notifications: noAccounts,
        operatorToken: null,
      }),
    };
  }
}
