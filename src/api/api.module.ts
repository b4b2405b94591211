import { type DynamicModule, Module } from '@nestjs/common';
import {
  DEAD_LETTERS,
  EVENTS,
  noNotifications,
  PAYMENTS,
  PAYOUTS,
  WEBHOOK_ENDPOINTS,
  type ApiDependencies,
} from './dependencies.js';
import { edgeProviders } from './edge.providers.js';
import { EventsController } from './events.controller.js';
import { OperationsController } from './operations.controller.js';
import { DeadLettersController } from './ops/dead-letters.controller.js';
import { PaymentsController } from './payments.controller.js';
import { RefundsController } from './refunds.controller.js';
import { PayoutsController } from './payouts.controller.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';

/** The REST surface as a Nest module. `createApi` makes an application of it. */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest calls a dynamic module
export class ApiModule {
  static register(dependencies: ApiDependencies): DynamicModule {
    const { payments, payouts, webhookEndpoints, events, authenticator, operators } = dependencies;
    const { notifications = noNotifications } = dependencies;
    return {
      module: ApiModule,
      controllers: [
        PaymentsController,
        RefundsController,
        PayoutsController,
        WebhooksController,
        WebhookEndpointsController,
        EventsController,
        OperationsController,
        // Not there at all unless it is asked for: every path under it is not found then.
        ...(operators ? [DeadLettersController] : []),
      ],
      providers: [
        { provide: PAYMENTS, useValue: payments },
        { provide: PAYOUTS, useValue: payouts },
        { provide: WEBHOOK_ENDPOINTS, useValue: webhookEndpoints },
        { provide: EVENTS, useValue: events },
        ...(operators ? [{ provide: DEAD_LETTERS, useValue: operators.deadLetters }] : []),
        ...edgeProviders(dependencies, {
          authenticator,
          notifications,
          operatorToken: operators?.token ?? null,
        }),
      ],
    };
  }
}
