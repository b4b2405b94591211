import { open, readFile } from 'node:fs/promises';
import { adyenReport } from './adyen-report.js';
import { camtReport } from './camt-report.js';
import { mappedReport, mappingOf } from './mapped-report.js';
import { type ReportFormat } from './report-format.js';
import { ReportRefused } from './report-line.js';
import { STRIPE_BALANCE, stripeBalance } from './stripe-balance.js';
import { stripeReport } from './stripe-report.js';

/** A word of the heading that no other format has. */
const HEADINGS: readonly (readonly [string, (account?: string) => ReportFormat])[] = [
  ['balance_transaction_id', () => stripeReport],
  [STRIPE_BALANCE, () => stripeBalance],
  ['Modification Reference', adyenReport],
  ['BkToCstmrStmt', camtReport],
  ['BkToCstmrDbtCdtNtfctn', camtReport],
];

const HEAD_BYTES = 4_096;

/** The format that the beginning of the file shows; `account`: the IBAN or the merchant account that is meant, where the file may be about others too. @throws ReportRefused where it shows none */
export async function formatOf(file: string, account?: string): Promise<ReportFormat> {
  const opened = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return formatOfHead(buffer.subarray(0, bytesRead), account);
  } finally {
    await opened.close();
  }
}

/** The same of the first bytes, or of all. @throws ReportRefused */
export function formatOfHead(bytes: Buffer, account?: string): ReportFormat {
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const found = HEADINGS.find(([word]) => head.includes(word));
  if (found) return found[1](account);
  throw new ReportRefused([{ line: 1, message: 'the heading is that of no report that is known' }]);
}

/** A CSV of any other PSP, as the file of its mapping says. @throws ReportRefused for what is no mapping */
export async function mappedFormat(mappingFile: string): Promise<ReportFormat> {
  return mappedReport(mappingOf(await readFile(mappingFile, 'utf8')));
}
