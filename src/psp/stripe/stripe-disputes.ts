import { type Stripe } from 'stripe';
import { type DisputeNews } from '../notification.js';
import { type Finding } from '../notification-check.js';
import { fromStripeAmount } from './stripe-currencies.js';

type Course = Omit<DisputeNews, 'reference' | 'respondBy'>;

/**
 * The course of a dispute, by its status; events of it come in any order. An inquiry (`warning_…`) takes no
 * money; it may become a dispute that does. A dispute that was lost may still be won, never the other way.
 * https://docs.stripe.com/api/disputes/object#dispute_object-status
 */
const courses: Readonly<Record<string, Course>> = {
  warning_needs_response: { stage: 0, status: 'open', withheld: false },
  warning_under_review: { stage: 0, status: 'open', withheld: false },
  needs_response: { stage: 1, status: 'open', withheld: true },
  under_review: { stage: 1, status: 'open', withheld: true },
  lost: { stage: 3, status: 'lost', withheld: true },
  warning_closed: { stage: 4, status: 'won', withheld: false },
  prevented: { stage: 4, status: 'won', withheld: false },
  won: { stage: 4, status: 'won', withheld: false },
};
/** Given back while it is still open. */
const REINSTATED: Course = { stage: 2, status: 'open', withheld: false };

/** null for a status, or an amount, that is not known: nothing is guessed about money. */
export function disputeOf(
  { id: reference, status, reason, amount, currency, evidence_details: evidence }: Stripe.Dispute,
  withheld: boolean,
): Finding | null {
  const known = Object.hasOwn(courses, status) ? courses[status] : undefined;
  const money = fromStripeAmount(amount, currency);
  if (!known || !money) return null;
  const course = !withheld && known.stage === 1 ? REINSTATED : known;
  return {
    dispute: { reference, ...course, ...respondBy(evidence?.due_by) },
    answer: { outcome: 'pending', money, ...(reason ? { pspCode: reason } : {}) },
  };
}

/** Seconds since the epoch; 0 and null mean that no answer is taken. */
function respondBy(seconds: unknown): Pick<DisputeNews, 'respondBy'> {
  const isTime = typeof seconds === 'number' && seconds > 0 && seconds < 1e11;
  return isTime ? { respondBy: new Date(seconds * 1_000).toISOString() } : {};
}
