import { withheldOf } from '../payments/dispute.js';
import { requestedVerdict } from '../payments/modify-payment.js';
import { type Payment } from '../payments/payment.entity.js';
import { type Refusal } from '../payments/refusal.js';
import { paymentLifecycle } from '../payments/payment.lifecycle.js';
import { type PaymentState, type RequestedOperation } from '../payments/payment-state.js';
import { type Refund } from './refund.entity.js';

/** The amount left to refund, in minor units; refunds in progress count as done, and disputed amounts are withheld. */
export function leftToRefund(payment: Payment): number {
  return Math.max(0, unrefunded(payment) - withheldOf(payment));
}

function unrefunded({ amountCaptured, amountRefunded, refundReserved }: Payment): number {
  return amountCaptured - amountRefunded - refundReserved;
}

/**
 * A name under which the PSP has refunded once cannot be used again, even if the refund failed later: its effective
 * route prevents another request.
 */
export function reversedRefusal(refund: Refund, state: PaymentState): Refusal | null {
  if (refund.status !== 'failed' || requestedVerdict(state) !== 'effective') return null;
  return {
    code: 'refund_reversed',
    detail: `The refund ${refund.entityKey} failed after the PSP had done it. Ask for a new one with a \`reference\` of its own.`,
    members: { refund_id: refund.id },
  };
}

/** Why the payment cannot be refunded, or not by this amount. */
export function refundRefusal(payment: Payment, { amount }: RequestedOperation): Refusal | null {
  if (!paymentLifecycle.allows(payment.status, 'part_refunded') || payment.amountCaptured === 0) {
    return { code: 'invalid_state', detail: `A payment that is ${payment.status} cannot be refunded.` };
  }
  const refundable = leftToRefund(payment);
  if (refundable > 0 && (amount ?? refundable) <= refundable) return null;
  // Disputes alone refuse what is within the unrefunded amount.
  if (unrefunded(payment) > 0 && (amount ?? 0) <= unrefunded(payment)) {
    return {
      code: 'payment_disputed',
      detail: `${withheldOf(payment)} ${payment.currency} (minor units) of the payment are disputed; at most ${refundable} can still be refunded.`,
    };
  }
  return {
    code: 'amount_exceeds_refundable',
    detail: `At most ${refundable} ${payment.currency} (minor units) can still be refunded.`,
  };
}
