import type pg from 'pg';
import { type OperationHistory } from './attempt.js';
import { type RouteHistory } from './assess-route.js';
import { type PspAttempt, pspAttempts, type PspRequest, pspRequests } from './psp-request.entity.js';

type Selectable = { readonly columns: readonly { readonly name: string; readonly property: string }[] };

/** The columns of a table for a SELECT that answers with its rows as the code knows them. */
export function columnsOf({ columns }: Selectable): string {
  return columns.map(({ name, property }) => `${name} AS "${property}"`).join(', ');
}

/** Puts routes and attempts together, by entity key. Both must be in the order of their numbers. */
export function historiesFrom(
  requests: readonly PspRequest[],
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

function nameOf({ entityKey, route }: Pick<PspRequest, 'entityKey' | 'route'>): string {
  return `${route} ${entityKey}`;
}

/** Stories for lists: of many operations in two queries, to be shown and never to be decided from. */
export async function readHistories(
  pool: pg.Pool,
  merchantId: string,
  entityKeys: readonly string[],
): Promise<Map<string, OperationHistory>> {
  const of = 'WHERE merchant_id = $1 AND entity_key = ANY($2)';
  const requests = await pool.query<PspRequest>(
    `SELECT ${columnsOf(pspRequests)} FROM psp_requests ${of} ORDER BY entity_key, route`,
    [merchantId, entityKeys],
  );
  const attempts = await pool.query<PspAttempt>(
    `SELECT ${columnsOf(pspAttempts)} FROM psp_attempts ${of} ORDER BY entity_key, route, attempt`,
    [merchantId, entityKeys],
  );
  return historiesFrom(requests.rows, attempts.rows);
}
