const DAY_MS = 24 * 3_600_000;

/** How lines of an account are held against the ledger. */
export interface ReconciliationRules {
  /** How long a PSP may take to report an effect. */
  readonly slaMs: number;
  /** How far times may differ where a line can be matched by its amount alone, */
  readonly toleranceMs: number;
  /** and amounts, in minor units by currency. */
  readonly toleranceAmounts: Readonly<Record<string, number>>;
}

/** The rules of an account that says nothing else. */
export const reconciliationRules: ReconciliationRules = {
  slaMs: 2 * DAY_MS,
  toleranceMs: DAY_MS,
  toleranceAmounts: {},
};
