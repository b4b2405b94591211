import { type Change, update } from '../core/change.js';
import { type Answer } from '../psp/contract.js';
import { type LeaseHolder } from '../request-storage/decisions/attempt.js';
import { type StepResult, startOperation } from '../request-storage/decisions/advance.js';
import { entityKey, orphanOf } from '../request-storage/entity-key.js';
import { isSuccess, type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { type Instruction } from '../psp/contract.js';
import { type OrphanEffect, type OrphanStatus, type Route } from '../request-storage/route.entity.js';
import { orphanEffects } from '../request-storage/route.table.js';
import { type RequestStorage } from '../request-storage/request-storage.js';
import { type Payment } from './payment.entity.js';
import { firstEntityKey, keyAtPspOf, type PaymentState } from './payment-state.js';

const undoneBy = { charge: 'refund', authorize: 'void' } as const;

/**
 * The route of the orphan effect, if it can be undone automatically: a second capture or refund, or an object
 * without an id, is for a person.
 */
export function undoable({ payment, histories }: PaymentState, orphan: OrphanEffect): RouteHistory | null {
  const { entityKey: name, operation, pspReference, route, object } = orphan;
  if (name !== firstEntityKey(payment) || !(operation in undoneBy) || pspReference === null) return null;
  // It was given back once, and that failed later: a person decides whether and how to try again.
  const before = histories.get(entityKey.orphan(payment.id, route, object))?.routes.at(-1);
  if (before?.request.verdict === 'effective') return null;
  return histories.get(name)?.routes.find(({ request }) => request.route === route) ?? null;
}

/**
 * Whether it may be given back at a PSP without lookups: a person approved it, or the PSP reported this object
 * under our name of the operation or as the answer to our request.
 */
export function isVouchedFor(
  { attempts }: RouteHistory,
  { status, attempt, pspReference }: OrphanEffect,
): boolean {
  if (status === 'approved') return true;
  const found = attempts.find((a) => a.attempt === attempt);
  if (found?.outcome !== 'succeeded' || found.response?.['psp_reference'] !== pspReference) return false;
  return (
    found.kind === 'execute' ||
    found.kind === 'complete' ||
    (found.kind === 'notice' && found.request['named'] === true)
  );
}

/**
 * The meaning of the PSP's answer about an orphan effect: it exists, it is undone already, there is no answer yet,
 * or a person must decide.
 */
export function stateOfOrphan({ outcome }: Answer): 'there' | 'undone' | 'later' | 'person' {
  switch (outcome) {
    case 'succeeded':
      return 'there';
    case 'canceled':
      return 'undone';
    case 'unknown':
    case 'throttled':
    case 'not_sent':
    case 'pending':
    case 'requires_action':
      return 'later';
    case 'declined':
    case 'rejected':
    case 'not_found':
    case 'conflict':
      return 'person';
  }
}

/**
 * Opens the operation that gives an orphan effect back: under a separate entity key, only at the PSP that did it,
 * once.
 */
export function openCompensation(
  state: PaymentState,
  orphan: OrphanEffect,
  storage: Pick<RequestStorage, 'accountAt'>,
  run: LeaseHolder,
  now: Date,
): StepResult {
  const { payment, histories } = state;
  const { merchantId, amount, currency, psp, route, object, pspReference } = orphan;
  const name = entityKey.orphan(payment.id, route, object);
  const opening = {
    merchantId,
    paymentId: payment.id,
    payoutId: null,
    entityKey: name,
    operation: undoneBy[orphan.operation as 'charge'],
    amount,
    currency,
    // The PSP's id of the object that it acts upon, which is not the payment.
    marks: { parent_reference: pspReference! },
    pspIdempotencyKey: keyAtPspOf(state, name),
  };
  // A compensation that was tried and refused continues under the same name.
  const before = histories.get(name);
  const at = storage.accountAt(psp, opening.operation);
  const stepResult = startOperation(opening, at, run, now, before);
  return { ...stepResult, changes: [moveOrphan(orphan, 'compensating'), ...stepResult.changes] };
}

/** The PSP's id of the object that a compensation acts upon. */
export function instructionOfCompensation(
  { payment, histories }: PaymentState,
  { entityKey: name, route }: Route,
): Partial<Instruction> {
  const own = histories.get(name)?.routes.find(({ request }) => request.route === route);
  const parentReference = own?.attempts[0]?.request['parent_reference'];
  if (typeof parentReference === 'string') return { parentReference };
  // Opened before it was stored on the orphan effect.
  const routes = histories.get(firstEntityKey(payment))?.routes ?? [];
  const orphan = routes.find(({ request }) => entityKey.orphan(payment.id, request.route) === name);
  const reference = orphan?.attempts.find(isSuccess)?.response?.['psp_reference'];
  const known = typeof reference === 'string' ? reference : orphan?.request.pspReference;
  return { parentReference: known ?? payment.pspReference ?? '' };
}

export function moveOrphan(orphan: OrphanEffect, status: OrphanStatus): Change {
  const { merchantId, entityKey: name, route, object, status: before, dueAt } = orphan;
  const key = { merchantId, entityKey: name, route, object };
  return update(orphanEffects, key, { status }, { status: before, dueAt });
}

/** The result of the compensation, on the orphan effect's row. Written in the commit that decides its route. */
export function orphanAfter(
  { payment, histories }: PaymentState,
  { history, step }: StepResult,
): readonly Change[] {
  if (step.do !== 'finish' && step.do !== 'fail') return [];
  const before = histories.get(history.entityKey)?.routes.at(-1)?.request;
  if (before?.verdict !== 'open') return [];
  const key = {
    merchantId: payment.merchantId,
    entityKey: firstEntityKey(payment),
    ...orphanOf(history.entityKey),
  };
  const status = step.do === 'finish' ? 'compensated' : 'failed';
  return [update(orphanEffects, key, { status }, { status: 'compensating' })];
}

/** The compensation of an orphan effect failed later: a person must handle that effect. */
export function reverseCompensation(payment: Payment, name: string): Change {
  const key = { merchantId: payment.merchantId, entityKey: firstEntityKey(payment), ...orphanOf(name) };
  return update(orphanEffects, key, { status: 'failed' }, { status: 'compensated' });
}
