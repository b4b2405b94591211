/** The views of the pages of reconciliation and of the ledger. Amounts are minor units, times RFC 3339. */

export interface RunRow {
  readonly id: string;
  readonly psp: string;
  readonly format: string;
  readonly file_name: string;
  readonly period_from: string;
  readonly period_to: string;
  readonly lines: number;
  readonly new_lines: number;
  readonly imported_by: string;
  readonly imported_at: string;
}

export interface RunPageView {
  readonly run: RunRow;
  readonly matched: number;
  readonly unmatched: number;
  /** opening + in - out - fees - settled is closing. */
  readonly totals: readonly {
    readonly currency: string;
    readonly opening: number;
    readonly in: number;
    readonly out: number;
    readonly fees: number;
    readonly settled: number;
    readonly closing: number;
  }[];
  readonly breaks: readonly {
    readonly category: string;
    readonly currency: string;
    readonly open: number;
    readonly closed: number;
    readonly difference: number;
  }[];
}

export interface BreakRow {
  readonly psp: string;
  readonly id: string;
  readonly category: string;
  readonly state: string;
  readonly run_id: string | null;
  readonly line: number | null;
  readonly event_id: string | null;
  readonly entity_key: string | null;
  readonly psp_reference: string | null;
  readonly currency: string | null;
  /** Signed: what the ledger has, and what the PSP says. */
  readonly expected: number | null;
  readonly reported: number | null;
  readonly owner: string | null;
  readonly since: string;
  readonly resolved_at: string | null;
  readonly resolution: string | null;
}

export interface NoteRow {
  readonly id: string;
  readonly at: string;
  readonly by: string;
  readonly note: string;
}

/** A break with both of its sides: what the PSP says, and what stands here. */
export interface BreakPageView {
  readonly found: BreakRow;
  readonly notes: readonly NoteRow[];
  readonly file_name: string | null;
  readonly line: {
    readonly line: number;
    readonly type: string;
    readonly kind: string;
    readonly psp_reference: string | null;
    readonly reference: string | null;
    readonly currency: string;
    readonly gross: number;
    readonly fee: number;
    readonly net: number;
    readonly settled: string;
    readonly occurred_at: string;
    readonly batch: string | null;
  } | null;
  readonly entries: readonly {
    readonly source: string;
    readonly kind: string;
    readonly currency: string;
    readonly amount: number;
    readonly occurred_at: string;
    readonly matched_by: string | null;
  }[];
  /** The payment or payout that it is about, where one is known. */
  readonly subject: { readonly kind: 'payment' | 'payout'; readonly id: string } | null;
  readonly attempts: readonly {
    readonly route: number;
    readonly attempt: number;
    readonly psp: string;
    readonly verdict: string;
    readonly kind: string;
    readonly outcome: string | null;
    readonly psp_reference: string | null;
    readonly http_status: number | null;
    readonly started_at: string;
  }[];
}

export interface BalancesPageView {
  readonly from: string;
  readonly to: string;
  readonly as_of: string | null;
  readonly psps: readonly {
    readonly psp: string;
    readonly currency: string;
    readonly taken: number;
    readonly refunded: number;
    readonly disputed: number;
    readonly paid_out: number;
    readonly fees: number;
    readonly settled: number;
    readonly held: number;
  }[];
  readonly trial: readonly {
    readonly account: string;
    readonly currency: string;
    readonly debit: number;
    readonly credit: number;
  }[];
}

export interface EntryRow {
  readonly occurred_at: string;
  readonly merchant_id: string;
  readonly source: string;
  readonly line: number;
  readonly kind: string;
  readonly account: string;
  readonly psp: string;
  readonly currency: string;
  /** Debits are above zero, credits below. */
  readonly amount: number;
  readonly payment_id: string | null;
  readonly payout_id: string | null;
}
