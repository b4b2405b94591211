import { type Change, insert, update } from '../kernel/index.js';
import { type Capabilities } from '../psp/index.js';
import { refundLifecycle, refunds } from '../refunds/index.js';
import {
  type Driven,
  entityKey,
  isFence,
  isOfOrphan,
  type OperationStory,
  type PspRequest,
  type Step,
} from '../request-storage/index.js';
import { failureOf } from './failure.js';
import { type Payment, type PaymentTransition, payments, paymentTransitions } from './payment.entity.js';
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
  driven: Driven,
  now: Date,
  can: Capabilities,
  newId: NewId,
): Settled {
  const moved = { ...withStory(state, driven.story), call: driven.call };
  const { payment } = state;
  if (isOfOrphan(payment.id, driven.story.entityKey)) {
    return { state: moved, changes: [...driven.changes, ...orphanAfter(state, driven)] };
  }
  const event = eventOf(state, driven, can);
  if (event === null || !paymentLifecycle.allows(payment.status, event)) {
    const stuck = paymentStuck(state.stories.get(driven.story.entityKey), moved, driven, newId, now);
    return { state: moved, changes: [...driven.changes, ...stuck] };
  }
  const { request } = driven.story.routes.at(-1)!;
  const set = { ...effectOf(event, payment, driven), updatedAt: now };
  // What a PSP told us is the PSP's doing, whoever asked it.
  const transition = { event, actor: `psp:${request.psp}`, entityKey: driven.story.entityKey };
  const changed = moveOn(payment, set, transition, now);
  const refunded = request.operation === 'refund' ? refundAfter(moved, driven, newId, now) : null;
  const settled = { ...moved, ...refunded?.state, payment: changed.payment };
  return {
    state: settled,
    changes: [
      ...driven.changes,
      ...changed.changes,
      ...(refunded?.changes ?? []),
      ...paymentMoved(payment, settled, event, newId, now),
    ],
  };
}

/** What an operation has come to, as an event in the payment's life; null when nothing changed. */
function eventOf(state: PaymentState, { story, step }: Driven, can: Capabilities): PaymentEvent | null {
  const { request } = story.routes.at(-1)!;
  if (step.do === 'wait') return step.why === 'requires_action' ? 'action_required' : null;
  if (step.do !== 'finish' && step.do !== 'fail') return null;
  // Counted once: with the write that decides the route, and never again for a word that comes later.
  const before = state.stories.get(story.entityKey)?.routes.at(-1)?.request;
  if (before?.verdict !== 'open' || before.route !== request.route) return null;
  return step.do === 'finish' ? doneEvent(state.payment, request, can) : failedEvent(request, step);
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
  // Nobody called it off where it was fenced: no PSP was left to ask.
  return kind === 'cancel_acknowledged' && !isFence(by) ? 'voided' : 'failed';
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

function effectOf(event: PaymentEvent, payment: Payment, { story, step }: Driven): Partial<Payment> {
  const status = paymentLifecycle.after(payment.status, event);
  const { request } = story.routes.at(-1)!;
  const atRest = { status, sealed: null, nextAction: null };
  const captureReserved = payment.captureReserved - request.amount;
  const refundReserved = payment.refundReserved - request.amount;
  switch (event) {
    case 'charged':
      return { ...atRest, ...settledAt(story), amountCaptured: payment.amount, failure: null };
    case 'authorized':
      return { ...atRest, ...settledAt(story), failure: null };
    case 'captured':
    case 'part_captured':
    case 'captured_part_refunded': {
      const amountCaptured = payment.amountCaptured + request.amount;
      return { ...atRest, amountCaptured, captureReserved, failure: null };
    }
    case 'voided':
      // What was called back before anybody knew that it was there is shown where it was.
      return { ...atRest, ...(payment.psp === null ? settledAt(story) : {}), failure: null };
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
      return { status, psp: request.psp, pspReference: request.pspReference, nextAction: actionOf(story) };
    case 'opened':
      return {};
  }
}

function settledAt(story: OperationStory): Pick<Payment, 'psp' | 'pspReference'> {
  const { psp, pspReference } = story.routes.at(-1)!.request;
  return { psp, pspReference };
}

function actionOf(story: OperationStory): Payment['nextAction'] {
  const told = story.routes.at(-1)!.attempts.findLast((a) => a.response?.['next_action']);
  return (told?.response?.['next_action'] as Payment['nextAction'] | undefined) ?? null;
}

/** The refund's own row and event: of the one that was asked for, or of the one that was open before it. */
function refundAfter(
  { refund, otherRefund, payment }: PaymentState,
  { story, step }: Driven,
  newId: NewId,
  now: Date,
): { readonly state: Partial<PaymentState>; readonly changes: readonly Change[] } {
  const { request } = story.routes.at(-1)!;
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
