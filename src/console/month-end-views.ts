/** Answers of the page for closing a month. Times are RFC 3339, days are of UTC, amounts minor units. */

/** The debt of a PSP account in one currency at the end of a day. */
export interface OwedRow {
  readonly psp: string;
  readonly currency: string;
  /** The ledger's balance of `psp_clearing`. */
  readonly held: number;
  readonly not_reported: number;
  readonly not_transferred: number;
  /** `held` less the two before: no line and no effect explains it. */
  readonly rest: number;
  readonly items: number;
  readonly oldest_at: string | null;
}

/** A part of it: an effect that no report has, or a line that no transfer has paid out. */
export interface OwedItemRow {
  readonly psp: string;
  readonly currency: string;
  readonly amount: number;
  /** `posted_later`: a report of the time before has it, and the ledger has it later. */
  readonly state: 'not_reported' | 'not_transferred' | 'posted_later';
  readonly kind: string;
  readonly occurred_at: string;
  /** Whole days until the end of the day that was asked about. */
  readonly age_days: number;
  readonly reference: string | null;
  readonly order: string | null;
  readonly payment_id: string | null;
  readonly psp_reference: string | null;
  readonly batch: string | null;
}

/** A PSP's transfer to the bank; null in `booked_…`: no statement of a bank has it. */
export interface TransferRow {
  readonly psp: string;
  readonly batch: string | null;
  readonly currency: string;
  readonly amount: number;
  readonly at: string;
  readonly booked_by: string | null;
  readonly booked_at: string | null;
  readonly booked_as: string | null;
}

export interface TransfersView {
  readonly data: readonly TransferRow[];
  /** How far the imported statements of each bank account reach. */
  readonly statements: readonly { readonly account: string; readonly until: string }[];
}

export interface FeesRow {
  readonly month: string;
  readonly psp: string;
  readonly currency: string;
  readonly merchant_id: string | null;
  readonly merchant: string | null;
  readonly taken: number;
  readonly fees: number;
}
