import type pg from 'pg';
import { type OperationStory } from './attempt.js';
import { type RouteStory } from './evidence.js';
import { type PspAttempt, pspAttempts, type PspRequest, pspRequests } from './psp-request.entity.js';

type Selectable = { readonly columns: readonly { readonly name: string; readonly property: string }[] };

/** The columns of a table for a SELECT that answers with its rows as the code knows them. */
export function columnsOf({ columns }: Selectable): string {
  return columns.map(({ name, property }) => `${name} AS "${property}"`).join(', ');
}

/** Puts routes and attempts together, by entity key. Both must be in the order of their numbers. */
export function storiesFrom(
  requests: readonly PspRequest[],
  attempts: readonly PspAttempt[],
): Map<string, OperationStory> {
  const stories = new Map<string, { entityKey: string; routes: RouteStory[] }>();
  for (const request of requests) {
    const own = attempts.filter((a) => a.entityKey === request.entityKey && a.route === request.route);
    const story = stories.get(request.entityKey) ?? { entityKey: request.entityKey, routes: [] };
    story.routes.push({ request, attempts: own });
    stories.set(request.entityKey, story);
  }
  return stories;
}

/** Stories for lists: of many operations in two queries, to be shown and never to be decided from. */
export async function readStories(
  pool: pg.Pool,
  merchantId: string,
  entityKeys: readonly string[],
): Promise<Map<string, OperationStory>> {
  const of = 'WHERE merchant_id = $1 AND entity_key = ANY($2)';
  const requests = await pool.query<PspRequest>(
    `SELECT ${columnsOf(pspRequests)} FROM psp_requests ${of} ORDER BY entity_key, route`,
    [merchantId, entityKeys],
  );
  const attempts = await pool.query<PspAttempt>(
    `SELECT ${columnsOf(pspAttempts)} FROM psp_attempts ${of} ORDER BY entity_key, route, attempt`,
    [merchantId, entityKeys],
  );
  return storiesFrom(requests.rows, attempts.rows);
}
