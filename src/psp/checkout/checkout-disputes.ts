import { type DisputeNews } from '../notification.js';
import { type Finding } from '../notification-check.js';
import { text } from '../json-body.js';
import { amountIn } from './checkout.mapping.js';

/**
 * The course of a dispute, by its events, which come in any order. Its amount is taken at once, and given back
 * where the dispute is won, canceled, or of what was refunded before. An arbitration may follow either end; what
 * its other events do to the money is not documented.
 * https://www.checkout.com/docs/business-operations/manage-disputes/how-disputes-work (read 2026-11)
 */
const courses: Readonly<Record<string, Omit<DisputeNews, 'reference' | 'respondBy'>>> = {
  dispute_received: { stage: 0, status: 'open', withheld: true },
  dispute_evidence_required: { stage: 1, status: 'open', withheld: true },
  dispute_evidence_submitted: { stage: 2, status: 'open', withheld: true },
  dispute_evidence_acknowledged_by_scheme: { stage: 2, status: 'open', withheld: true },
  dispute_accepted: { stage: 3, status: 'lost', withheld: true },
  dispute_expired: { stage: 3, status: 'lost', withheld: true },
  dispute_lost: { stage: 3, status: 'lost', withheld: true },
  dispute_resolved: { stage: 4, status: 'won', withheld: false },
  dispute_canceled: { stage: 4, status: 'won', withheld: false },
  dispute_won: { stage: 4, status: 'won', withheld: false },
  dispute_arbitration_lost: { stage: 5, status: 'lost', withheld: true },
  dispute_arbitration_won: { stage: 6, status: 'won', withheld: false },
};

/** Nothing for an event, or an amount, that is not known: nothing is guessed about money. */
export function disputeOf(type: string, data: Readonly<Record<string, unknown>>): Finding[] {
  const course = Object.hasOwn(courses, type) ? courses[type] : undefined;
  const reference = text(data['id']);
  const money = amountIn(data['amount'], text(data['currency']) ?? '');
  if (!course || reference === undefined || !money) return [];
  const pspCode = text(data['reason_code']) ?? text(data['category']);
  const due = Date.parse(text(data['evidence_required_by']) ?? '');
  return [
    {
      parentReference: text(data['payment_id']),
      dispute: {
        reference,
        ...course,
        ...(Number.isNaN(due) ? {} : { respondBy: new Date(due).toISOString() }),
      },
      answer: { outcome: 'pending', money, ...(pspCode ? { pspCode } : {}) },
    },
  ];
}
