import { type Change, insert, update } from '../kernel/index.js';
import { type Driven, type OperationStory, type PspAttempt, type Step } from '../request-storage/index.js';
import {
  type Failure,
  type Payment,
  type PaymentTransition,
  payments,
  paymentTransitions,
} from './payment.entity.js';
import { type PaymentEvent, paymentLifecycle } from './payment.lifecycle.js';
import { type PaymentOperation, type PaymentState, withStory } from './payment-state.js';

/** What an operation has come to, as an event in the payment's life; null when nothing changed. */
function eventOf(operation: PaymentOperation, step: Step): PaymentEvent | null {
  if (step.do === 'finish') {
    return ({ charge: 'charged', authorize: 'authorized', capture: 'captured', void: 'voided' } as const)[
      operation
    ];
  }
  if (step.do === 'fail') {
    if (operation === 'capture') return 'capture_failed';
    if (operation === 'void') return 'void_failed';
    return step.evidence.kind === 'cancel_acknowledged' ? 'voided' : 'failed';
  }
  return step.do === 'wait' && step.why === 'requires_action' ? 'action_required' : null;
}

/**
 * Brings the payment to where its operation has come: the next state, and the payment's own
 * changes (the row, guarded by its version, and a line of its history).
 */
export function settle(
  state: PaymentState,
  driven: Driven,
  now: Date,
): { readonly state: PaymentState; readonly changes: readonly Change[] } {
  const moved = { ...withStory(state, driven.story), call: driven.call };
  const last = driven.story.routes.at(-1)!;
  const operation = last.request.operation as PaymentOperation;
  const event = eventOf(operation, driven.step);
  const { payment } = state;
  if (event === null || !paymentLifecycle.allows(payment.status as never, event)) {
    return { state: moved, changes: driven.changes };
  }
  const set = { ...effectOf(event, payment, driven), updatedAt: now };
  // What a PSP told us is the PSP's doing, whoever asked it.
  const transition = { event, actor: `psp:${last.request.psp}`, entityKey: driven.story.entityKey };
  const changed = moveOn(payment, set, transition, now);
  return { state: { ...moved, payment: changed.payment }, changes: [...driven.changes, ...changed.changes] };
}

/** Writes a payment's next version with the line of its history that explains it. */
export function moveOn(
  payment: Payment,
  set: Partial<Payment>,
  { event, actor, entityKey }: Pick<PaymentTransition, 'event' | 'actor' | 'entityKey'>,
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
    entityKey,
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
  const status = paymentLifecycle.after(payment.status as never, event);
  const { request } = story.routes.at(-1)!;
  const atRest = { sealed: null, nextAction: null };
  switch (event) {
    case 'charged':
      return { ...atRest, status, ...settledAt(story), amountCaptured: payment.amount, failure: null };
    case 'authorized':
      return { ...atRest, status, ...settledAt(story), failure: null };
    case 'captured':
      return { ...atRest, status, amountCaptured: request.amount, failure: null };
    case 'voided':
      // What was called back before anybody knew that it was there is shown where it was.
      return { ...atRest, status, ...(payment.psp === null ? settledAt(story) : {}), failure: null };
    case 'failed':
    case 'capture_failed':
    case 'void_failed':
      return { ...atRest, status, failure: failureOf(step) };
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

/** Why, for the client: in our words, with the PSP's code beside them. */
function failureOf(step: Step): Failure | null {
  if (step.do !== 'fail') return null;
  const { by, kind } = step.evidence;
  const declined = by.outcome === 'declined';
  const category = declined ? 'declined' : kind === 'rejected' ? 'psp_rejected' : 'psp_unavailable';
  return {
    category,
    code: declined ? (by.decline ?? 'declined') : codeOf(by),
    psp_code: by.pspCode,
    message: messageOf(by, category),
  };
}

function codeOf({ outcome }: PspAttempt): string {
  return outcome === 'not_found' ? 'not_executed' : (outcome ?? 'unknown');
}

function messageOf({ response }: PspAttempt, category: string): string {
  const told = response?.['message'];
  if (typeof told === 'string' && told !== '') return told;
  return category === 'declined'
    ? 'The payment was declined.'
    : 'No PSP could take the payment; nothing was charged.';
}
