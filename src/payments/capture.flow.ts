import { type Change } from '../core/change.js';
import { type Capabilities } from '../psp/contract.js';
import { cameBack } from '../request-storage/decisions/assess-route.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type RuledOut } from '../request-storage/decisions/next-step.js';
import { type Route } from '../request-storage/route.entity.js';
import { failureOf } from '../request-storage/decisions/route-failure.js';
import { ModificationFlow, requestedVerdict } from './modify-payment.js';
import { type Payment } from './payment.entity.js';
import { type Refusal } from './refusal.js';
import { paymentLifecycle, type PaymentEvent } from './payment.lifecycle.js';
import { paymentMoved } from './payment-events.js';
import { type OperationStep, type NewId } from './payment-operation.js';
import { leftToCapture, type PaymentState } from './payment-state.js';
import { moveOn } from './decide-payment.js';

/** Captures an authorization: whole, in part, or in several parts with a reference each. */
export class CaptureFlow extends ModificationFlow {
  readonly name = 'POST /v1/payments/:id/capture';
  readonly operation = 'capture';

  /** begin: a capture with a reference is done once; another request with that reference gets the same capture. */
  protected override isAlreadySatisfied(state: PaymentState): boolean {
    const isDone = requestedVerdict(state) === 'effective';
    return state.wanted.reference !== null && isDone && !hasComeBack(state);
  }

  protected refusal(state: PaymentState, can: Capabilities): Refusal | null {
    const { payment } = state;
    const left = leftToCapture(payment);
    const notAuthorized = authorizedRefusal(payment, 'captured', 'captured');
    if (notAuthorized) return notAuthorized;
    if (hasComeBack(state)) {
      return {
        code: 'invalid_state',
        detail:
          'This capture failed at the PSP after it had been accepted. Capture again with another reference, or cancel.',
      };
    }
    const amount = this.amountOf(state);
    if (amount > left) {
      return {
        code: 'amount_exceeds_authorized',
        detail: `At most ${left} ${payment.currency} (minor units) are left of what was authorized.`,
      };
    }
    if (can.captures !== 'several' && !state.wanted.isFinal && amount < left) {
      return {
        code: 'capture_in_parts_unsupported',
        detail: `${payment.psp} captures an authorization once. With final: true this part is captured, and the rest is released.`,
      };
    }
    if (can.captures === 'whole' && amount < payment.amount) {
      return {
        code: 'invalid_state',
        detail: `${payment.psp} captures all that was authorized, or nothing.`,
      };
    }
    return null;
  }

  protected amountOf({ payment, wanted }: PaymentState): number {
    return wanted.amount ?? leftToCapture(payment);
  }

  protected reserve({ captureReserved }: Payment, amount: number): Partial<Payment> {
    return { captureReserved: captureReserved + amount };
  }

  protected override marks({ wanted }: PaymentState): Readonly<Record<string, unknown>> {
    return { final: wanted.isFinal };
  }

  /** settle: the last capture ends the authorization: one that releases the rest, or that takes it. */
  done({ payment, request, history }: OperationStep, can: Capabilities): PaymentEvent {
    const { id, amount, amountCaptured, amountRefunded } = payment;
    // Captures from before the mark was kept are final where they have no reference.
    const { final = request.entityKey === entityKey.capture(id, null) } =
      history.routes[0]!.attempts[0]!.request;
    const isLast = final === true || can.captures !== 'several' || amountCaptured + request.amount >= amount;
    if (!isLast) return 'part_captured';
    return amountRefunded > 0 ? 'captured_part_refunded' : 'captured';
  }

  /** settle: what the PSP does not hold any more is released: the authorization lapsed, or was voided there. */
  failed({ by }: RuledOut, { payment, request }: OperationStep): PaymentEvent {
    const isAlone = payment.captureReserved === request.amount;
    return by.decline === 'authorization_canceled' && isAlone ? released(payment) : 'capture_failed';
  }

  /** A capture is accepted before it is done: what fails later is left to capture again, unless it was given back. */
  reverse(
    state: PaymentState,
    { entityKey: name, psp, amount }: Route,
    evidence: RuledOut,
    newId: NewId,
    now: Date,
  ): readonly Change[] | null {
    const event = 'capture_reversed';
    const { payment, histories } = state;
    const { status } = payment;
    const amountCaptured = capturedWithout(payment, amount);
    if (amountCaptured === null || !paymentLifecycle.allows(status, event)) return null;
    const failure = failureOf({ do: 'fail', evidence }, this.operation);
    const set = { status: paymentLifecycle.after(status, event), amountCaptured, failure, updatedAt: now };
    const moved = moveOn(state, set, { event, actor: `psp:${psp}`, entityKey: name }, newId, now);
    const told = paymentMoved(payment, { payment: moved.payment, histories }, event, newId, now);
    return [...moved.changes, ...told];
  }

  effect(_event: PaymentEvent, { payment, request, step }: OperationStep): Partial<Payment> {
    const captureReserved = payment.captureReserved - request.amount;
    const atRest = { sealed: null, nextAction: null, captureReserved };
    return step.do === 'fail'
      ? { ...atRest, failure: failureOf(step, request.operation) }
      : { ...atRest, amountCaptured: payment.amountCaptured + request.amount, failure: null };
  }
}

function hasComeBack({ histories, requestedKey }: PaymentState): boolean {
  const route = histories.get(requestedKey)?.routes.at(-1);
  return route !== undefined && cameBack(route);
}

/** The captured money without a capture of `amount`; null if refunds, also those in progress, need more than that. */
export function capturedWithout(
  { amountCaptured, amountRefunded, refundReserved }: Payment,
  amount: number,
): number | null {
  const left = amountCaptured - amount;
  return left < amountRefunded + refundReserved ? null : left;
}

/** Money that was captured before stays captured; the rest is released. */
export function released({ amountCaptured, amountRefunded }: Payment): PaymentEvent {
  if (amountCaptured === 0) return 'voided';
  if (amountRefunded === 0) return 'rest_voided';
  return amountRefunded < amountCaptured ? 'rest_voided_part_refunded' : 'rest_voided_refunded';
}

/** Only authorized payments can be captured or canceled. */
export function authorizedRefusal(payment: Payment, event: PaymentEvent, verb: string): Refusal | null {
  if (payment.status === 'authorized' && paymentLifecycle.allows(payment.status, event)) return null;
  return { code: 'invalid_state', detail: `A payment that is ${payment.status} cannot be ${verb}.` };
}
