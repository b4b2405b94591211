import { type EntityManager, type FindOperator } from 'typeorm';
import { type OperationHistory } from './decisions/attempt.js';
import { PspAttempt, Route } from './route.entity.js';
import { type RouteHistory } from './decisions/assess-route.js';

/** Histories for lists: of many operations in two queries, only for display, never for decisions. */
export async function readHistories(
  manager: EntityManager,
  where: { readonly merchantId: string; readonly entityKey: FindOperator<string> },
): Promise<Map<string, OperationHistory>> {
  const order = { entityKey: 'ASC', route: 'ASC' } as const;
  const requests = await manager.find(Route, { where, order });
  const attempts = await manager.find(PspAttempt, { where, order: { ...order, attempt: 'ASC' } });
  return historiesFrom(requests, attempts);
}

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
