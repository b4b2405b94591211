import { type ReportFormat } from './report-format.js';

/** A stretch of time: from, and before to. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** A report that a PSP says is ready. */
export interface AnnouncedReport {
  /** The PSP's name of the file. */
  readonly name: string;
  readonly url: string;
}

/** Fetches the reports of one PSP account, unchanged. */
export interface ReportSource {
  /** The PSP's movements in this time, if it can be asked for them at any time. */
  period?(period: Period, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** A report that was announced. @throws ReportNotFetched */
  announced?(report: AnnouncedReport, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The delay after which an announced report is fetched if no schedule says when; absent: at once. */
  readonly fetchAfterMs?: number;
  /** The format that these reports have. */
  readonly format: ReportFormat;
}

/** A report that another try would not bring either, and why; without secrets. */
export class ReportNotFetched extends Error {
  override readonly name = 'ReportNotFetched';
}
