import { type Change, insert, update } from '../core/change.js';
import { type Capabilities, type Operation } from '../psp/contract.js';
import { actorOf, type StepResult } from '../request-storage/decisions/advance.js';
import { isOfOrphan } from '../request-storage/entity-key.js';
import { type StepFacts } from '../request-storage/decisions/next-step.js';
import { type RouteDecision } from '../request-storage/route-worker.js';
import { type Payment, type PaymentTransition } from './payment.entity.js';
import { payments, paymentTransitions } from './payment.table.js';
import { type PaymentEvent, paymentLifecycle } from './payment.lifecycle.js';
import { moveOrder } from './order-events.js';
import { orphanAfter } from './orphan.js';
import { paymentMoved, paymentStuck } from './payment-events.js';
import { type OperationStep, type NewId, type PaymentOperation } from './payment-operation.js';
import { type PaymentState, withHistory } from './payment-state.js';

/**
 * Applies the step of an operation to its payment: the next state, and with the changes of the route those of the
 * payment (the row, guarded by its version, a line of its history, and the event for its merchant).
 */
export function decidePayment(
  state: PaymentState,
  stepResult: StepResult,
  { capabilities, now }: Pick<StepFacts, 'capabilities' | 'now'>,
  operationOf: (name: Operation) => PaymentOperation,
  newId: NewId,
): RouteDecision<PaymentState> {
  const { history, step, changes, call } = stepResult;
  const moved = { ...withHistory(state, history), call };
  const { payment } = state;
  if (isOfOrphan(payment.id, history.entityKey)) {
    return { state: moved, stepResult, changes: [...changes, ...orphanAfter(state, stepResult)] };
  }
  const { request } = history.routes.at(-1)!;
  const decided = { payment, request, history, step };
  const operation = operationOf(request.operation);
  const event = eventOf(state, operation, decided, capabilities(request.psp));
  if (event === null || !paymentLifecycle.allows(payment.status, event)) {
    const before = state.histories.get(history.entityKey);
    const stuck = paymentStuck(before, moved, stepResult, newId, now);
    return { state: moved, stepResult, changes: [...changes, ...stuck] };
  }
  const status = paymentLifecycle.after(payment.status, event);
  const set = { status, ...operation.effect(event, decided), updatedAt: now };
  const transition = { event, actor: actorOf(stepResult), entityKey: history.entityKey };
  const next = moveOn(state, set, transition, newId, now);
  const own = recordAfter(state, operation, decided, newId, now);
  const settled = { ...moved, records: own.records, payment: next.payment, order: next.order };
  return {
    state: settled,
    stepResult,
    changes: [
      ...changes,
      ...next.changes,
      ...own.changes,
      ...paymentMoved(payment, settled, event, newId, now),
    ],
  };
}

/** The row and event of the operation: the requested one, or the one that was open before it. */
function recordAfter(
  { records }: PaymentState,
  operation: PaymentOperation,
  decided: OperationStep,
  newId: NewId,
  now: Date,
) {
  if (!operation.recordAfter) return { records, changes: [] };
  const name = decided.history.entityKey;
  const before = records.get(name);
  if (before === undefined) throw new RangeError(`an operation without its row: ${name}`);
  const { record, changes } = operation.recordAfter(before, decided, newId, now);
  return { records: new Map(records).set(name, record), changes };
}

/** The result of an operation as an event of the payment; null if nothing changed. */
function eventOf(
  state: PaymentState,
  operation: PaymentOperation,
  decided: OperationStep,
  can: Capabilities,
): PaymentEvent | null {
  const { history, request, step } = decided;
  if (step.do === 'wait') {
    return step.why === 'requires_action' ? (operation.waits?.(decided) ?? null) : null;
  }
  if (step.do !== 'finish' && step.do !== 'fail') return null;
  // Counted once: with the write that decides the route, never again for later facts.
  const before = state.histories.get(history.entityKey)?.routes.at(-1)?.request;
  if (before?.verdict !== 'open' || before.route !== request.route) return null;
  return step.do === 'finish' ? operation.done(decided, can) : operation.failed(step.evidence, decided);
}

/**
 * Writes a payment's next version with the line of its history that explains it, and what that makes of the order that
 * it is for.
 */
export function moveOn(
  { payment, order }: Pick<PaymentState, 'payment' | 'order'>,
  changed: Partial<Payment>,
  { event, actor, entityKey: name }: Pick<PaymentTransition, 'event' | 'actor' | 'entityKey'>,
  newId: NewId,
  now: Date,
): Pick<PaymentState, 'payment' | 'order'> & { readonly changes: readonly Change[] } {
  const { merchantId, id, version } = payment;
  const ordered = order && moveOrder(order, payment, { ...payment, ...changed }, newId, now);
  const set = { ...changed, ...ordered?.set };
  const next = { ...payment, ...set, version: version + 1 };
  const transition: PaymentTransition = {
    merchantId,
    paymentId: id,
    version: next.version,
    event,
    fromStatus: payment.status,
    toStatus: next.status,
    actor,
    entityKey: name,
    at: now,
  };
  return {
    payment: next,
    order: ordered ? ordered.order : null,
    changes: [
      update(payments, { merchantId, id }, { ...set, version: next.version }, { version }),
      ...(ordered?.changes ?? []),
      insert(paymentTransitions, transition),
    ],
  };
}
