import { type ProblemCode } from '../kernel/index.js';
import { type Capabilities } from '../psp/index.js';
import { type Payment } from './payment.entity.js';
import { paymentLifecycle, type PaymentEvent } from './payment.lifecycle.js';
import { type PaymentState, type Wanted } from './payment-state.js';

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
  toRefund: (payment: Payment) => payment.amountCaptured - payment.amountRefunded - payment.refundReserved,
};

/** How much the operation is about: what was asked, or all that is left. */
export function amountOf(payment: Payment, { operation, amount }: Wanted): number {
  if (operation === 'first') return payment.amount;
  const all = operation === 'refund' ? left.toRefund(payment) : left.toCapture(payment);
  return operation === 'void' ? all : (amount ?? all);
}

/** What is reserved in the commit that opens the operation. */
export function reserved(payment: Payment, { operation }: Wanted, amount: number): Partial<Payment> {
  if (operation === 'capture') return { captureReserved: payment.captureReserved + amount };
  if (operation === 'refund') return { refundReserved: payment.refundReserved + amount };
  return {};
}

/** null where the operation may be begun. `can`: what the PSP of the payment promises. */
export function refusalOf({ payment, wanted }: PaymentState, can: Capabilities | null): Refusal | null {
  switch (wanted.operation) {
    case 'first':
      return null;
    case 'refund':
      return refundRefusal(payment, wanted);
    case 'capture':
      return stateRefusal(payment, 'captured', 'captured') ?? captureRefusal(payment, wanted, can);
    case 'void':
      return stateRefusal(payment, 'voided', 'canceled');
  }
}

function stateRefusal(payment: Payment, event: PaymentEvent, verb: string): Refusal | null {
  if (payment.status === 'authorized' && paymentLifecycle.allows(payment.status, event)) return null;
  return { code: 'invalid_state', detail: `A payment that is ${payment.status} cannot be ${verb}.` };
}

function captureRefusal(payment: Payment, wanted: Wanted, can: Capabilities | null): Refusal | null {
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

function refundRefusal(payment: Payment, wanted: Wanted): Refusal | null {
  if (!paymentLifecycle.allows(payment.status, 'part_refunded') || payment.amountCaptured === 0) {
    return { code: 'invalid_state', detail: `A payment that is ${payment.status} cannot be refunded.` };
  }
  const refundable = left.toRefund(payment);
  if (refundable > 0 && amountOf(payment, wanted) <= refundable) return null;
  return {
    code: 'amount_exceeds_refundable',
    detail: `At most ${refundable} ${payment.currency} (minor units) can still be refunded.`,
  };
}
