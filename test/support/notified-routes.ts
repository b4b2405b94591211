import { type OperationHistory } from '../../src/request-storage/decisions/attempt.js';
import { type RouteHistory } from '../../src/request-storage/decisions/assess-route.js';
import { type PspAttempt, type Route } from '../../src/request-storage/route.entity.js';
import { type Outcome } from '../../src/psp/contract.js';
import { type NotificationItem } from '../../src/psp/notification.js';
import { requestOf, START } from './arbitrary-history.js';

/** Routes of a payment and facts that a PSP tells of them. */

export function callOf(
  attempt: number,
  outcome: PspAttempt['outcome'],
  more: Partial<PspAttempt> = {},
): PspAttempt {
  const startedAt = new Date(START + attempt);
  return {
    merchantId: 'm',
    entityKey: 'payment-1-charge',
    route: 1,
    attempt,
    kind: 'execute',
    outcome,
    decline: outcome === 'declined' ? 'do_not_honor' : null,
    pspCode: null,
    httpStatus: null,
    latencyMs: 1,
    traceId: 't',
    request: {},
    response: null,
    startedAt,
    endedAt: outcome === null ? null : startedAt,
    ...more,
  };
}

export function routeOf(attempts: readonly PspAttempt[], more: Partial<Route> = {}): RouteHistory {
  return { request: { ...requestOf('first', 1), ...more }, attempts };
}

export function factOf(outcome: Outcome, more: Partial<NotificationItem> = {}): NotificationItem {
  return {
    entityKey: 'payment-1-charge',
    route: 1,
    pspReference: 'pi_1',
    ofPayment: null,
    parentReference: null,
    operation: 'charge',
    about: 'operation',
    cancelReference: null,
    answer: { outcome, pspReference: 'pi_1' },
    ...more,
  };
}

export function historiesOfRoutes(...routes: readonly RouteHistory[]): ReadonlyMap<string, OperationHistory> {
  const histories = new Map<string, OperationHistory>();
  for (const route of routes) {
    const { entityKey } = route.request;
    const before = histories.get(entityKey)?.routes ?? [];
    histories.set(entityKey, { entityKey, routes: [...before, route] });
  }
  return histories;
}
