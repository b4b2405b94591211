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

export interface Disputed {
  readonly id: string;
  readonly psp: string | null;
  readonly currency: string;
  readonly disputes?: readonly Dispute[] | null;
}

/** What PSPs hold back of the payment, or have taken, in minor units: it cannot be refunded. */
export function withheldOf({ disputes }: Pick<Disputed, 'disputes'>): number {
  return (disputes ?? []).reduce((sum, { amountWithheld }) => sum + amountWithheld, 0);
}
