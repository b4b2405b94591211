import { type DynamicModule, Module } from '@nestjs/common';
import { type Authenticator } from '../merchants/index.js';
import { type MonitoringDependencies, noNotifications } from './dependencies.js';
import { edgeProviders } from './edge.providers.js';
import { unauthorized } from './headers.js';
import { OperationsController } from './operations.controller.js';

/** Nothing here asks for credentials; a route that did by mistake would let nobody in. */
const nobody: Authenticator = { authenticate: () => Promise.reject(unauthorized()) };

/** Health and metrics as a Nest module. `createMonitoring` makes an application of it. */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest calls a dynamic module
export class MonitoringModule {
  static register(dependencies: MonitoringDependencies): DynamicModule {
    return {
      module: MonitoringModule,
      controllers: [OperationsController],
      providers: edgeProviders(dependencies, {
        authenticator: nobody,
        notifications: noNotifications,
        operatorToken: null,
      }),
    };
  }
}
