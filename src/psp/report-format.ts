import { type ReportFault, type ReportLine } from './report-line.js';

/** Which of our effects a report of this kind lists: an effect of another kind that is not in it is no break. */
export type Covered = 'payment' | 'refund' | 'dispute' | 'payout';

/**
 * A word of the heading that no other format has, and the format. `account`: the PSP's name of the account, where a report
 * may be about others too.
 */
export type ReportHeading = readonly [word: string, format: (account?: string) => ReportFormat];

export interface ReportFormat {
  readonly name: string;
  readonly covers: readonly Covered[];
  /** Whether the PSP names each line. Else equal lines are distinguished by their order. */
  readonly hasIds: boolean;
  /**
   * Translates a file, line by line. What is wrong with a line goes to `fault` and the line is left out; what is
   * wrong with the whole is thrown as ReportRefused.
   */
  read(bytes: AsyncIterable<Uint8Array>, fault: (fault: ReportFault) => void): AsyncIterable<ReportLine>;
}
