/** The kinds of report lines, in our words. */
export const lineKinds = [
  'payment',
  'refund',
  'refund_reversed',
  'dispute',
  'dispute_reversed',
  'payout',
  'payout_returned',
  'fee',
  'settlement',
  'other',
] as const;
export type LineKind = (typeof lineKinds)[number];

/** One line of a report, translated. Amounts are signed minor units: what it adds to our money at the PSP. */
export interface ReportLine {
  /** Its line in the file, from 1. */
  readonly line: number;
  /** The same for the same line of another report, and for no other line of the account. */
  readonly key: string;
  /** The PSP's own word. */
  readonly type: string;
  readonly kind: LineKind;
  /** The PSP's id of what was done, and of the payment that it was done to. */
  readonly pspReference: string | null;
  readonly parentReference: string | null;
  /** Our own name, where the PSP hands it back. */
  readonly reference: string | null;
  readonly currency: string;
  readonly gross: number;
  /** Fee and net are in the currency of `settled`, if the PSP settles in another one than the payment's. */
  readonly fee: number;
  readonly net: number;
  readonly settled: string;
  readonly occurredAt: Date;
  /** The transfer to the bank, or the batch, that the line is part of. */
  readonly batch: string | null;
}

/** A fault of a report, by line; null: of the file. */
export interface ReportFault {
  readonly line: number | null;
  readonly message: string;
}

const SHOWN = 20;

/** Nothing of the report was imported. */
export class ReportRefused extends Error {
  override readonly name = 'ReportRefused';

  constructor(readonly faults: readonly ReportFault[]) {
    const shown = faults
      .slice(0, SHOWN)
      .map(({ line, message }) => (line === null ? message : `line ${line}: ${message}`));
    const more = faults.length > SHOWN ? [`and ${faults.length - SHOWN} more`] : [];
    super([...shown, ...more].join('; '));
  }
}
