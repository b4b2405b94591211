import { type DynamicModule, Module } from '@nestjs/common';
import { type ApiDependencies, noNotifications } from './api-dependencies.js';
import { PaymentsService } from './payments/payments.service.js';
import { PayoutsService } from './payouts/payouts.service.js';
import { REFUNDS } from './refunds/refunds.js';
import { EVENTS, WEBHOOK_ENDPOINTS } from './webhooks/outgoing/webhooks.js';
import { requestHookProviders } from './http/request-hooks.providers.js';
import { EventsController } from './webhooks/outgoing/events.controller.js';
import { HealthController, MetricsController } from './monitoring/health.controller.js';
import { DeadLetters } from './jobs/dead-letters.js';
import { DeadLettersController } from './ops/dead-letters.controller.js';
import { PaymentsController } from './payments/payments.controller.js';
import { RefundsController } from './refunds/refunds.controller.js';
import { PayoutsController } from './payouts/payouts.controller.js';
import { NotificationsController } from './webhooks/incoming/notifications.controller.js';
import { WebhookEndpointsController } from './webhooks/outgoing/webhook-endpoints.controller.js';

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
        NotificationsController,
        WebhookEndpointsController,
        EventsController,
        HealthController,
        ...(dependencies.servesMetrics === false ? [] : [MetricsController]),
        // Not there at all unless it is asked for: every path under it is not found then.
        ...(operators ? [DeadLettersController] : []),
      ],
      providers: [
        { provide: PaymentsService, useValue: payments },
        { provide: REFUNDS, useValue: payments },
        { provide: PayoutsService, useValue: payouts },
        { provide: WEBHOOK_ENDPOINTS, useValue: webhookEndpoints },
        { provide: EVENTS, useValue: events },
        ...(operators ? [{ provide: DeadLetters, useValue: operators.deadLetters }] : []),
        ...requestHookProviders(dependencies, {
          authenticator,
          notifications,
          operatorToken: operators?.token ?? null,
        }),
      ],
    };
  }
}
