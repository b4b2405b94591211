import { type OperationHistory } from './attempt.js';
import { type RouteHistory } from './assess-route.js';
import { type PspAttempt, type Route } from '../route.entity.js';

/** Puts routes and attempts together, by entity key. Both must be in the order of their numbers. */
export function historiesFrom(
  requests: readonly Route[],
  attempts: readonly PspAttempt[],
): Map<string, OperationHistory> {
  const histories = new Map<string, { entityKey: string; routes: RouteHistory[] }>();
  const byRoute = new Map<string, PspAttempt[]>();
  for (const attempt of attempts) {
    const own = byRoute.get(nameOf(attempt));
    if (own) own.push(attempt);
    else byRoute.set(nameOf(attempt), [attempt]);
  }
  for (const request of requests) {
    const own = byRoute.get(nameOf(request)) ?? [];
    const history = histories.get(request.entityKey) ?? { entityKey: request.entityKey, routes: [] };
    history.routes.push({ request, attempts: own });
    histories.set(request.entityKey, history);
  }
  return histories;
}

function nameOf({ entityKey, route }: Pick<Route, 'entityKey' | 'route'>): string {
  return `${route} ${entityKey}`;
}
