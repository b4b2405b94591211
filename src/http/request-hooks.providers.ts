import { type Provider } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { Registry } from 'prom-client';
import { LOGGER } from '../config/config.module.js';
import { Clock } from '../core/clock.js';
import { type Authenticator } from '../merchants/caller.js';
import { type NotificationAccounts } from './notification-accounts.js';
import {
  AUTHENTICATOR,
  defaultLimits,
  LIMITS,
  type MonitoringDependencies,
  NOTIFICATIONS,
  READINESS,
  VERSION,
} from './dependencies.js';
import { Drain } from './drain.js';
import { RequestHooks } from './request-hooks.js';
import { OperatorGate } from './operator-gate.js';
import { ProblemFilter } from './problem.filter.js';
import { RequestPipe } from './request.pipe.js';
import { RouteTable } from './route-table.js';

/** Who is let in, beside what every surface has. */
export interface Admission {
  readonly authenticator: Authenticator;
  readonly notifications: NotificationAccounts;
  /** Null: no operator is. */
  readonly operatorToken: string | null;
}

/** What the edge and the operations ask for, on whatever surface they stand. */
export function requestHookProviders(
  { readiness, metrics, logger, version, clock, limits }: MonitoringDependencies,
  { authenticator, notifications, operatorToken }: Admission,
): Provider[] {
  return [
    { provide: AUTHENTICATOR, useValue: authenticator },
    { provide: NOTIFICATIONS, useValue: notifications },
    { provide: OperatorGate, useValue: new OperatorGate(operatorToken) },
    { provide: READINESS, useValue: readiness },
    { provide: Registry, useValue: metrics },
    { provide: LOGGER, useValue: logger },
    { provide: VERSION, useValue: version },
    { provide: Clock, useValue: clock },
    { provide: LIMITS, useValue: { ...defaultLimits, ...limits } },
    { provide: APP_FILTER, useClass: ProblemFilter },
    { provide: APP_PIPE, useClass: RequestPipe },
    RequestHooks,
    Drain,
    RouteTable,
  ];
}
