/** The views of the charts of the overview. Amounts are minor units, times RFC 3339. */

export const spans = ['hour', 'day', 'week'] as const;
export type Span = (typeof spans)[number];

export interface ActivityView {
  /** How long a point of the charts lasts. */
  readonly step_ms: number;
  /** When a worker counted last; null: never yet. */
  readonly counted_at: string | null;
  readonly payments: readonly {
    readonly at: string;
    readonly succeeded: number;
    readonly failed: number;
    readonly undecided: number;
  }[];
  readonly captured: readonly {
    readonly psp: string;
    readonly currency: string;
    readonly payments: number;
    readonly captured: number;
  }[];
  readonly psps: readonly {
    readonly psp: string;
    readonly calls: number;
    readonly unanswered: number;
    /** The share of all calls that carry something out, 0 to 1; null: there was none. */
    readonly success: number | null;
    readonly points: readonly {
      readonly at: string;
      readonly calls: number;
      readonly success: number | null;
      /** The worst minute of the point. */
      readonly p95_ms: number | null;
    }[];
  }[];
  /** Jobs that no queue was given yet. */
  readonly queue: { readonly waiting: number; readonly oldest_s: number };
}
