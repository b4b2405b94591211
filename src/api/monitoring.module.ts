import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { type Authenticator } from '../merchants/index.js';
import {
  AUTHENTICATOR,
  CLOCK,
  defaultLimits,
  LIMITS,
  LOGGER,
  METRICS,
  NOTIFICATIONS,
  noNotifications,
  READINESS,
  VERSION,
  type MonitoringDependencies,
} from './dependencies.js';
import { Drain } from './drain.js';
import { Edge } from './edge.js';
import { unauthorized } from './headers.js';
import { OperationsController } from './operations.controller.js';
import { OperatorGate } from './ops/operator-gate.js';
import { ProblemFilter } from './problem.filter.js';
import { RouteTable } from './route-table.js';

/** Nothing here asks for credentials; a route that did by mistake would let nobody in. */
const nobody: Authenticator = { authenticate: () => Promise.reject(unauthorized()) };

/** Health and metrics as a Nest module. `createMonitoring` makes an application of it. */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest calls a dynamic module
export class MonitoringModule {
  static register(dependencies: MonitoringDependencies): DynamicModule {
    const { readiness, metrics, logger, version, clock, limits } = dependencies;
    return {
      module: MonitoringModule,
      controllers: [OperationsController],
      providers: [
        { provide: AUTHENTICATOR, useValue: nobody },
        { provide: OperatorGate, useValue: new OperatorGate(null) },
        { provide: NOTIFICATIONS, useValue: noNotifications },
        { provide: READINESS, useValue: readiness },
        { provide: METRICS, useValue: metrics },
        { provide: LOGGER, useValue: logger },
        { provide: VERSION, useValue: version },
        { provide: CLOCK, useValue: clock },
        { provide: LIMITS, useValue: { ...defaultLimits, ...limits } },
        { provide: APP_FILTER, useClass: ProblemFilter },
        Edge,
        Drain,
        RouteTable,
      ],
    };
  }
}
