import { open } from 'node:fs/promises';
import { adyenReport } from './adyen-report.js';
import { type ReportFormat } from './report-format.js';
import { ReportRefused } from './report-line.js';
import { stripeReport } from './stripe-report.js';

export const reportFormats: readonly ReportFormat[] = [stripeReport, adyenReport];

/** A word of the heading that no other format has. */
const HEADINGS: readonly (readonly [string, ReportFormat])[] = [
  ['balance_transaction_id', stripeReport],
  ['Modification Reference', adyenReport],
];

const HEAD_BYTES = 4_096;

/** The format that the beginning of the file shows. @throws ReportRefused where it shows none */
export async function formatOf(file: string): Promise<ReportFormat> {
  const opened = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead).toString('latin1');
    const found = HEADINGS.find(([word]) => head.includes(word));
    if (found) return found[1];
  } finally {
    await opened.close();
  }
  throw new ReportRefused([{ line: 1, message: 'the heading is that of no report that is known' }]);
}
