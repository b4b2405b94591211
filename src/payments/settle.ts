import { type Change, insert, update } from '../core/change.js';
import { type Capabilities, type NextAction } from '../psp/contract.js';
import { refunds } from '../refunds/refund.table.js';
import { refundLifecycle } from '../refunds/refund.lifecycle.js';
import { type OperationHistory } from '../request-storage/attempt.js';
import { type StepResult } from '../request-storage/advance.js';
import { entityKey, isOfOrphan } from '../request-storage/entity-key.js';
import { isFailoverCancel } from '../request-storage/assess-route.js';
import { type Step } from '../request-storage/next-step.js';
import { type PspRequest } from '../request-storage/psp-request.entity.js';
import { statedBy } from '../request-storage/statement.js';
import { failureOf } from './failure.js';
import { type Payment, type PaymentTransition } from './payment.entity.js';
import { payments, paymentTransitions } from './payment.table.js';
import { type PaymentEvent, paymentLifecycle } from './payment.lifecycle.js';
import { orphanAfter } from './orphan.js';
import { type NewId, paymentMoved, paymentStuck, refundMoved } from './payment-events.js';
import { type PaymentState, withStory } from './payment-state.js';

/** Where the payment is now, and what has to be written for it. */
interface Settled {
  readonly state: PaymentState;
  readonly changes: readonly Change[];
}

/**
 * Brings the payment to where its operation has come: the next state, and the payment's own
 * changes (the row, guarded by its version, a line of its history, and the event that tells its
 * merchant). `can`: what the PSP of the operation promises.
 */
export function settle(
  state: PaymentState,
  stepResult: StepResult,
  now: Date,
  can: Capabilities,
  newId: NewId,
): Settled {
  const moved = { ...withStory(state, stepResult.history), call: stepResult.call };
  const { payment } = state;
  if (isOfOrphan(payment.id, stepResult.history.entityKey)) {
    return { state: moved, changes: [...stepResult.changes, ...orphanAfter(state, stepResult)] };
  }
  const event = eventOf(state, stepResult, can);
  if (event === null || !paymentLifecycle.allows(payment.status, event)) {
    const stuck = paymentStuck(
      state.histories.get(stepResult.history.entityKey),
      moved,
      stepResult,
      newId,
      now,
    );
    return { state: moved, changes: [...stepResult.changes, ...stuck] };
  }
  const { request } = stepResult.history.routes.at(-1)!;
  const set = { ...effectOf(event, payment, stepResult), updatedAt: now };
  const transition = { event, actor: actorOf(stepResult), entityKey: stepResult.history.entityKey };
  const changed = moveOn(payment, set, transition, now);
  const refunded = request.operation === 'refund' ? refundAfter(moved, stepResult, newId, now) : null;
  const settled = { ...moved, ...refunded?.state, payment: changed.payment };
  return {
    state: settled,
    changes: [
      ...stepResult.changes,
      ...changed.changes,
      ...(refunded?.changes ?? []),
      ...paymentMoved(payment, settled, event, newId, now),
    ],
  };
}

/** The PSP, where its answer or notification decided, and the person, where a statement did. */
function actorOf({ history, step }: StepResult): string {
  const by = step.do === 'finish' ? step.by : step.do === 'fail' ? step.evidence.by : null;
  return (by && statedBy(by)) ?? `psp:${history.routes.at(-1)!.request.psp}`;
}

/** What an operation has come to, as an event in the payment's life; null when nothing changed. */
function eventOf(state: PaymentState, { history, step }: StepResult, can: Capabilities): PaymentEvent | null {
  const { request } = history.routes.at(-1)!;
  if (step.do === 'wait') return step.why === 'requires_action' ? actionEvent(state.payment, history) : null;
  if (step.do !== 'finish' && step.do !== 'fail') return null;
  // Counted once: with the write that decides the route, and never again for a word that comes later.
  const before = state.histories.get(history.entityKey)?.routes.at(-1)?.request;
  if (before?.verdict !== 'open' || before.route !== request.route) return null;
  return step.do === 'finish' ? doneEvent(state.payment, request, can) : failedEvent(request, step);
}

/** Once for every action: the next one may be another PSP's, or a challenge after a fingerprint. */
function actionEvent(payment: Payment, history: OperationHistory): PaymentEvent | null {
  const { psp, pspReference } = history.routes.at(-1)!.request;
  const isNew =
    payment.status === 'processing' || payment.psp !== psp || payment.pspReference !== pspReference;
  return isNew ? 'action_required' : null;
}

function doneEvent(payment: Payment, request: PspRequest, can: Capabilities): PaymentEvent | null {
  const { operation, amount, entityKey: name } = request;
  const { amountCaptured, amountRefunded } = payment;
  switch (operation) {
    case 'charge':
      return 'charged';
    case 'authorize':
      return 'authorized';
    case 'capture': {
      const isOnly = name === entityKey.capture(payment.id, null);
      const isLast = isOnly || can.captures !== 'several' || amountCaptured + amount >= payment.amount;
      if (!isLast) return 'part_captured';
      return amountRefunded > 0 ? 'captured_part_refunded' : 'captured';
    }
    case 'void':
      if (amountCaptured === 0) return 'voided';
      if (amountRefunded === 0) return 'rest_voided';
      return amountRefunded < amountCaptured ? 'rest_voided_part_refunded' : 'rest_voided_refunded';
    case 'refund': {
      const isAll = amountRefunded + amount >= amountCaptured && payment.status !== 'authorized';
      return isAll ? 'refunded' : 'part_refunded';
    }
    case 'payout':
      return null;
  }
}

function failedEvent({ operation }: PspRequest, step: Extract<Step, { do: 'fail' }>): PaymentEvent {
  if (operation === 'capture') return 'capture_failed';
  if (operation === 'void') return 'void_failed';
  if (operation === 'refund') return 'refund_failed';
  const { kind, by } = step.evidence;
  // No merchant called it off where it was fenced: no PSP was left to ask.
  return kind === 'cancel_acknowledged' && !isFailoverCancel(by) ? 'voided' : 'failed';
}

/** Writes a payment's next version with the line of its history that explains it. */
export function moveOn(
  payment: Payment,
  set: Partial<Payment>,
  { event, actor, entityKey: name }: Pick<PaymentTransition, 'event' | 'actor' | 'entityKey'>,
  now: Date,
): { readonly payment: Payment; readonly changes: readonly Change[] } {
  const { merchantId, id, version } = payment;
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
    changes: [
      update(payments, { merchantId, id }, { ...set, version: next.version }, { version }),
      insert(paymentTransitions, transition),
    ],
  };
}

function effectOf(event: PaymentEvent, payment: Payment, { history, step }: StepResult): Partial<Payment> {
  const status = paymentLifecycle.after(payment.status, event);
  const { request } = history.routes.at(-1)!;
  const atRest = { status, sealed: null, nextAction: null };
  const captureReserved = payment.captureReserved - request.amount;
  const refundReserved = payment.refundReserved - request.amount;
  switch (event) {
    case 'charged':
      return { ...atRest, ...settledAt(history), amountCaptured: payment.amount, failure: null };
    case 'authorized':
      return { ...atRest, ...settledAt(history), failure: null };
    case 'captured':
    case 'part_captured':
    case 'captured_part_refunded': {
      const amountCaptured = payment.amountCaptured + request.amount;
      return { ...atRest, amountCaptured, captureReserved, failure: null };
    }
    case 'voided':
      // What was called back before anybody knew that it was there is shown where it was.
      return { ...atRest, ...(payment.psp === null ? settledAt(history) : {}), failure: null };
    case 'rest_voided':
    case 'rest_voided_part_refunded':
    case 'rest_voided_refunded':
      return { ...atRest, failure: null };
    case 'part_refunded':
    case 'refunded':
      return { status, amountRefunded: payment.amountRefunded + request.amount, refundReserved };
    case 'refund_failed':
      return { status, refundReserved };
    case 'capture_failed':
      return { ...atRest, captureReserved, failure: failureOf(step, request.operation) };
    case 'failed':
    case 'void_failed':
      return { ...atRest, failure: failureOf(step, request.operation) };
    case 'action_required':
      return { status, psp: request.psp, pspReference: request.pspReference, nextAction: actionOf(history) };
    case 'action_completed':
      return { status, nextAction: null };
    case 'opened':
    case 'refund_reversed':
    case 'refund_part_reversed':
    case 'disputed':
      return {};
  }
}

function settledAt(history: OperationHistory): Pick<Payment, 'psp' | 'pspReference'> {
  const { psp, pspReference } = history.routes.at(-1)!.request;
  return { psp, pspReference };
}

/** What the PSP asked for last, where it can be handed on; one that is told by its library is told whose. */
function actionOf(history: OperationHistory): Payment['nextAction'] {
  const { request, attempts } = history.routes.at(-1)!;
  const asked = attempts.findLast(({ outcome }) => outcome === 'requires_action');
  const action = asked?.response?.['next_action'] as NextAction | undefined;
  if (!action) return null;
  return action.type === 'psp_sdk' ? { ...action, psp: request.psp } : action;
}

/** The refund's own row and event: of the one that was asked for, or of the one that was open before it. */
function refundAfter(
  { refund, otherRefund, payment }: PaymentState,
  { history, step }: StepResult,
  newId: NewId,
  now: Date,
): { readonly state: Partial<PaymentState>; readonly changes: readonly Change[] } {
  const { request } = history.routes.at(-1)!;
  const { entityKey: name, pspReference } = request;
  const before = [refund, otherRefund].find((one) => one?.entityKey === name);
  if (!before) throw new RangeError(`a refund without its row: ${name}`);
  const set = {
    status: refundLifecycle.after('pending', step.do === 'finish' ? 'refunded' : 'failed'),
    pspReference,
    failure: step.do === 'finish' ? null : failureOf(step, request.operation),
    updatedAt: now,
  };
  const after = { ...before, ...set };
  const key = { merchantId: payment.merchantId, entityKey: name };
  return {
    state: before === refund ? { refund: after } : { otherRefund: after },
    changes: [
      update(refunds, key, set, { status: 'pending' }),
      ...refundMoved({ ...before, status: 'pending' }, after, newId, now),
    ],
  };
}
