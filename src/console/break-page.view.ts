/** Both sides of a break, as its page shows them. Amounts are minor units, times RFC 3339. */
export interface BreakSidesView {
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
