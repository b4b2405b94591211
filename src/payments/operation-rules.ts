import { type ProblemCode } from '../core/problem.js';
import { type Capabilities, type Operation } from '../psp/contract.js';
import { withheldOf } from './dispute.js';
import { type Payment } from './payment.entity.js';
import { paymentLifecycle, type PaymentEvent } from './payment.lifecycle.js';
import { type PaymentState, type RequestedOperation } from './payment-state.js';

/** Why an operation cannot be begun on a payment as it stands. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
  /** What stands in the way, for the problem document. */
  readonly members?: Readonly<Record<string, string>>;
}

/** What is left to capture, refund or void, in minor units; what is on its way counts as done. */
export const left = {
  toCapture: (payment: Payment) => payment.amount - payment.amountCaptured - payment.captureReserved,
  toRefund: (payment: Payment) => Math.max(0, unrefunded(payment) - withheldOf(payment)),
};

function unrefunded({ amountCaptured, amountRefunded, refundReserved }: Payment): number {
  return amountCaptured - amountRefunded - refundReserved;
}

/** How much the operation is about: what was asked, or all that is left. */
export function amountOf(payment: Payment, { operation, amount }: RequestedOperation): number {
  if (operation === 'first' || operation === 'complete') return payment.amount;
  const all = operation === 'refund' ? left.toRefund(payment) : left.toCapture(payment);
  return operation === 'void' ? all : (amount ?? all);
}

/** What is reserved in the commit that opens the operation. */
export function reserved(
  payment: Payment,
  { operation }: RequestedOperation,
  amount: number,
): Partial<Payment> {
  if (operation === 'capture') return { captureReserved: payment.captureReserved + amount };
  if (operation === 'refund') return { refundReserved: payment.refundReserved + amount };
  return {};
}

/** null where the operation may be begun. `can`: what the PSP of the payment promises. */
export function refusalOf(state: PaymentState, can: Capabilities | null): Refusal | null {
  const { payment, wanted } = state;
  switch (wanted.operation) {
    case 'first':
    case 'complete':
      return null;
    case 'refund':
      return reversedRefusal(state) ?? refundRefusal(payment, wanted) ?? countRefusal(state, 'refund');
    case 'capture':
      return (
        stateRefusal(payment, 'captured', 'captured') ??
        captureRefusal(payment, wanted, can) ??
        countRefusal(state, 'capture')
      );
    case 'void':
      return stateRefusal(payment, 'voided', 'canceled') ?? countRefusal(state, 'void');
  }
}

function stateRefusal(payment: Payment, event: PaymentEvent, verb: string): Refusal | null {
  if (payment.status === 'authorized' && paymentLifecycle.allows(payment.status, event)) return null;
  return { code: 'invalid_state', detail: `A payment that is ${payment.status} cannot be ${verb}.` };
}

function captureRefusal(
  payment: Payment,
  wanted: RequestedOperation,
  can: Capabilities | null,
): Refusal | null {
  const amount = amountOf(payment, wanted);
  if (amount > left.toCapture(payment)) {
    return {
      code: 'amount_exceeds_authorized',
      detail: `At most ${left.toCapture(payment)} ${payment.currency} (minor units) are left of what was authorized.`,
    };
  }
  if (can?.captures === 'whole' && amount < payment.amount) {
    return { code: 'invalid_state', detail: `${payment.psp} captures all that was authorized, or nothing.` };
  }
  return null;
}

/** How often a payment is captured, refunded or voided at most, each counted by itself. */
const MAX_OPERATIONS = 1_000;

/**
 * Every decision about a payment reads all of its routes, so their number is bounded. Routes count, not
 * names: a refund that failed may be tried again under the same name.
 */
function countRefusal({ histories }: PaymentState, operation: Operation): Refusal | null {
  const routes = [...histories.values()].flatMap((history) => history.routes);
  if (routes.filter(({ request }) => request.operation === operation).length < MAX_OPERATIONS) return null;
  return {
    code: 'too_many_operations',
    detail: `A payment takes at most ${MAX_OPERATIONS} operations of one kind (${operation}), those that failed included.`,
  };
}

/**
 * A name under which the PSP has refunded once is used up, though the refund came to nothing: the route
 * keeps it from being sent again, whatever else is told of it.
 */
function reversedRefusal({ refund, histories }: PaymentState): Refusal | null {
  const verdict = refund && histories.get(refund.entityKey)?.routes.at(-1)?.request.verdict;
  if (refund?.status !== 'failed' || verdict !== 'effective') return null;
  return {
    code: 'refund_reversed',
    detail: `The refund ${refund.entityKey} failed after the PSP had done it. Ask for a new one with a \`reference\` of its own.`,
    members: { refund_id: refund.id },
  };
}

function refundRefusal(payment: Payment, wanted: RequestedOperation): Refusal | null {
  if (!paymentLifecycle.allows(payment.status, 'part_refunded') || payment.amountCaptured === 0) {
    return { code: 'invalid_state', detail: `A payment that is ${payment.status} cannot be refunded.` };
  }
  const refundable = left.toRefund(payment);
  if (refundable > 0 && amountOf(payment, wanted) <= refundable) return null;
  const withheld = withheldOf(payment);
  if (withheld > 0 && unrefunded(payment) > 0 && (wanted.amount ?? 0) <= unrefunded(payment)) {
    return {
      code: 'payment_disputed',
      detail: `${withheld} ${payment.currency} (minor units) of the payment are disputed; at most ${refundable} can still be refunded.`,
    };
  }
  return {
    code: 'amount_exceeds_refundable',
    detail: `At most ${refundable} ${payment.currency} (minor units) can still be refunded.`,
  };
}
