import { type CheckoutPayment } from './checkout-payments.js';
import { type Dispute } from './disputes.js';
import { type DisputeStep } from './wire.js';

/** A bank usually gives a week or more. */
const ANSWERED_WITHIN_MS = 7 * 24 * 3_600_000;

/** https://www.checkout.com/docs/business-operations/manage-disputes/how-disputes-work */
export const checkoutDisputeEvents: Readonly<Record<DisputeStep, readonly string[]>> = {
  open: ['dispute_received', 'dispute_evidence_required'],
  win: ['dispute_won'],
  lose: ['dispute_lost'],
};

/** The body of an event about a dispute. */
export function renderDispute(
  type: string,
  { id: payment, currency, reference }: CheckoutPayment,
  { id, amount, at }: Dispute,
  now: number,
): object {
  const due = new Date(at + ANSWERED_WITHIN_MS).toISOString();
  return {
    id,
    date: new Date(now).toISOString(),
    category: 'fraudulent',
    amount,
    currency,
    reason_code: '10.4',
    payment_id: payment,
    ...(reference === null ? {} : { payment_reference: reference }),
    payment_method: 'VISA',
    ...(type === 'dispute_evidence_required' ? { evidence_required_by: due } : {}),
  };
}
