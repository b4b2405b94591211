import { type EntityManager, type FindOperator } from 'typeorm';
import { type OperationHistory } from './decisions/attempt.js';
import { historiesFrom } from './decisions/histories.js';
import { PspAttempt, Route } from './route.entity.js';

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
