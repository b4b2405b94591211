/** A difference that a report is to have from the ledger that it is written from. */
export const differences = ['missing', 'duplicated', 'amount', 'made_up'] as const;
export type Difference = (typeof differences)[number];

export interface Planted {
  /** The effect of the ledger that it is planted at; for `made_up` the one that it looks like. */
  readonly seq: number;
  readonly difference: Difference;
}

export interface ReportRequest {
  /** The effects that it lists; default: all. */
  readonly only?: readonly number[];
  readonly planted?: readonly Planted[];
}
