/** What one run came to. */
export interface Outcome {
  /** How many processes died at their places; a second death may not be reached. */
  readonly deaths: number;
  /** At a PSP without keys: the answer came only after the time that makes "not found" final. */
  readonly waitedForProof: boolean;
}

/** After this long a "not found" of a Stripe-like PSP is final (its `settlesAfterMs`, and a margin). */
export const PROOF_MS = 100_000;
