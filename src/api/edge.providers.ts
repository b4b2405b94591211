import { type Provider } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { type Authenticator } from '../merchants/index.js';
import { type Notifications } from '../webhooks/index.js';
import {
  AUTHENTICATOR,
  CLOCK,
  defaultLimits,
  LIMITS,
  LOGGER,
  METRICS,
  type MonitoringDependencies,
  NOTIFICATIONS,
  READINESS,
  VERSION,
} from './dependencies.js';
import { Drain } from './drain.js';
import { Edge } from './edge.js';
import { OperatorGate } from './ops/operator-gate.js';
import { ProblemFilter } from './problem.filter.js';
import { RouteTable } from './route-table.js';

/** Who is let in, beside what every surface has. */
export interface Admission {
  readonly authenticator: Authenticator;
  readonly notifications: Notifications;
  /** Null: no operator is. */
  readonly operatorToken: string | null;
}

/** What the edge and the operations ask for, on whatever surface they stand. */
export function edgeProviders(
  { readiness, metrics, logger, version, clock, limits }: MonitoringDependencies,
  { authenticator, notifications, operatorToken }: Admission,
): Provider[] {
  return [
    { provide: AUTHENTICATOR, useValue: authenticator },
    { provide: NOTIFICATIONS, useValue: notifications },
    { provide: OperatorGate, useValue: new OperatorGate(operatorToken) },
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
  ];
}
