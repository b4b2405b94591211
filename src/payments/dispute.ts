/** The result of a dispute: `lost` money is gone, unless the dispute is won later after all. */
export const disputeStatuses = ['open', 'won', 'lost'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** A dispute of a payment (a chargeback), as the payment's row keeps it. */
export interface Dispute {
  readonly id: string;
  /** The PSP's id of it. */
  readonly pspReference: string;
  readonly status: DisputeStatus;
  /** The PSP's reason, verbatim. */
  readonly reason: string | null;
  /** Minor units, in the payment's currency. */
  readonly amount: number;
  /** The part that the PSP holds back, or has taken. */
  readonly amountWithheld: number;
  /** Its stage at the PSP; a fact about an earlier stage is old. */
  readonly stage: number;
  /** The time until which the bank takes an answer, RFC 3339; absent or null where the PSP has not said. */
  readonly respondBy?: string | null;
  /** RFC 3339. */
  readonly openedAt: string;
  readonly closedAt: string | null;
}

export interface Disputed {
  readonly id: string;
  readonly psp: string | null;
  readonly currency: string;
  readonly disputes?: readonly Dispute[] | null;
  readonly isTest?: boolean | null;
}

/** The amount that PSPs hold back or have taken, in minor units: it cannot be refunded. */
export function withheldOf({ disputes }: Pick<Disputed, 'disputes'>): number {
  return (disputes ?? []).reduce((sum, { amountWithheld }) => sum + amountWithheld, 0);
}
