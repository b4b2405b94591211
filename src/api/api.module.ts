import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import {
  AUTHENTICATOR,
  CLOCK,
  DEAD_LETTERS,
  EVENTS,
  defaultLimits,
  LIMITS,
  LOGGER,
  METRICS,
  noNotifications,
  NOTIFICATIONS,
  PAYMENTS,
  PAYOUTS,
  READINESS,
  VERSION,
  WEBHOOK_ENDPOINTS,
  type ApiDependencies,
} from './dependencies.js';
import { Drain } from './drain.js';
import { Edge } from './edge.js';
import { EventsController } from './events.controller.js';
import { OperationsController } from './operations.controller.js';
import { DeadLettersController } from './ops/dead-letters.controller.js';
import { OperatorGate } from './ops/operator-gate.js';
import { PaymentsController } from './payments.controller.js';
import { RefundsController } from './refunds.controller.js';
import { PayoutsController } from './payouts.controller.js';
import { ProblemFilter } from './problem.filter.js';
import { RouteTable } from './route-table.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhookEndpointsController } from './webhook-endpoints.controller.js';

/** The REST surface as a Nest module. `createApi` makes an application of it. */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest calls a dynamic module
export class ApiModule {
  static register(dependencies: ApiDependencies): DynamicModule {
    const {
      payments,
      payouts,
      webhookEndpoints,
      events,
      authenticator,
      readiness,
      metrics,
      logger,
      version,
      clock,
      limits,
      operators,
      notifications = noNotifications,
    } = dependencies;
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
        { provide: NOTIFICATIONS, useValue: notifications },
        { provide: WEBHOOK_ENDPOINTS, useValue: webhookEndpoints },
        { provide: EVENTS, useValue: events },
        { provide: AUTHENTICATOR, useValue: authenticator },
        { provide: READINESS, useValue: readiness },
        { provide: METRICS, useValue: metrics },
        { provide: LOGGER, useValue: logger },
        { provide: VERSION, useValue: version },
        { provide: CLOCK, useValue: clock },
        { provide: LIMITS, useValue: { ...defaultLimits, ...limits } },
        { provide: OperatorGate, useValue: new OperatorGate(operators?.token ?? null) },
        ...(operators ? [{ provide: DEAD_LETTERS, useValue: operators.deadLetters }] : []),
        { provide: APP_FILTER, useClass: ProblemFilter },
        Edge,
        Drain,
        RouteTable,
      ],
    };
  }
}
