/** What became of a dispute: `lost` money is gone, unless the dispute is won later all the same. */
export const disputeStatuses = ['open', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** What merchants are told of a dispute. */
export const disputeEventTypes = ['dispute.opened', 'dispute.won', 'dispute.lost'] as const;

/** A dispute of a payment (a chargeback), as the payment's row keeps it. */
export interface Dispute {
  readonly id: string;
  /** The PSP's id of it. */
  readonly pspReference: string;
  readonly status: DisputeStatus;
  /** The PSP's word for why, verbatim. */
  readonly reason: string | null;
  /** Minor units, in the payment's currency. */
  readonly amount: number;
  /** As much of it as the PSP holds back, or has taken. */
  readonly amountWithheld: number;
  /** How far it has come at the PSP; news of an earlier stage is old. */
  readonly stage: number;
  /** RFC 3339. */
  readonly openedAt: string;
  readonly closedAt: string | null;
}

/** The dispute as the API shows it; field names are the wire's. */
export interface DisputeView {
  readonly object: 'dispute';
  readonly id: string;
  readonly payment_id: string;
  readonly psp: string | null;
  readonly psp_reference: string;
  readonly status: DisputeStatus;
  readonly reason: string | null;
  readonly amount: number;
  readonly amount_withheld: number;
  readonly currency: string;
  readonly opened_at: string;
  readonly closed_at: string | null;
}

interface Disputed {
  readonly id: string;
  readonly psp: string | null;
  readonly currency: string;
  readonly disputes?: readonly Dispute[] | null;
}

/** What PSPs hold back of the payment, or have taken, in minor units: it cannot be refunded. */
export function withheldOf({ disputes }: Pick<Disputed, 'disputes'>): number {
  return (disputes ?? []).reduce((sum, { amountWithheld }) => sum + amountWithheld, 0);
}

export function disputeViewOf({ id, psp, currency }: Disputed, dispute: Dispute): DisputeView {
  return {
    object: 'dispute',
    id: dispute.id,
    payment_id: id,
    psp,
    psp_reference: dispute.pspReference,
    status: dispute.status,
    reason: dispute.reason,
    amount: dispute.amount,
    amount_withheld: dispute.amountWithheld,
    currency,
    opened_at: dispute.openedAt,
    closed_at: dispute.closedAt,
  };
}

export function disputeViewsOf(payment: Disputed): DisputeView[] {
  return (payment.disputes ?? []).map((dispute) => disputeViewOf(payment, dispute));
}
