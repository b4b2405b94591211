import { open, readFile } from 'node:fs/promises';
import { adyenReport } from '../psp/adyen/adyen-report.js';
import { camtReport } from '../psp/bank-sepa/camt-report.js';
import { mappedReport, mappingOf } from './mapped-report.js';
import { type ReportFormat } from '../psp/report-format.js';
import { ReportRefused } from '../psp/report-line.js';
export { ReportRefused } from '../psp/report-line.js';
import { STRIPE_BALANCE, stripeBalance } from '../psp/stripe/stripe-balance.js';
import { stripeReport } from '../psp/stripe/stripe-report.js';

/** The account that a report is said to be of. */
export interface ReportedAccount {
  /** The IBAN or the merchant account, where a file may be about others too. */
  readonly account?: string | undefined;
  /** Absent: it is not configured here. */
  readonly adapter?: string | undefined;
}

type Heading = readonly [word: string, adapters: readonly string[], (account?: string) => ReportFormat];

const ofStripe = ['stripe', 'keyless'];
const ofBanks = ['bank-sepa'];

/** A word of the heading that no other format has, and the adapters of the accounts that such a report may be of. */
const HEADINGS: readonly Heading[] = [
  ['balance_transaction_id', ofStripe, () => stripeReport],
  [STRIPE_BALANCE, ofStripe, () => stripeBalance],
  ['Modification Reference', ['adyen'], adyenReport],
  ['BkToCstmrStmt', ofBanks, camtReport],
  ['BkToCstmrDbtCdtNtfctn', ofBanks, camtReport],
];

const HEAD_BYTES = 4_096;

/** The format that the beginning of the file shows. @throws ReportRefused where it shows none, or that of another PSP than the account's */
export async function formatOf(file: string, of: ReportedAccount = {}): Promise<ReportFormat> {
  const opened = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return formatOfHead(buffer.subarray(0, bytesRead), of);
  } finally {
    await opened.close();
  }
}

/** The same of the first bytes, or of all. @throws ReportRefused */
export function formatOfHead(bytes: Buffer, { account, adapter }: ReportedAccount = {}): ReportFormat {
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const [, adapters, read] = HEADINGS.find(([word]) => head.includes(word)) ?? [];
  if (!adapters || !read) {
    throw new ReportRefused([{ line: 1, message: 'the heading is that of no report that is known' }]);
  }
  const format = read(account);
  if (adapter === undefined || adapters.includes(adapter)) return format;
  throw new ReportRefused([
    {
      line: 1,
      message: `this is a report of ${adapters[0]} (${format.name}), and the account is of ${adapter}`,
    },
  ]);
}

/** A CSV of any other PSP, as the file of its mapping says. @throws ReportRefused for what is no mapping */
export async function mappedFormat(mappingFile: string): Promise<ReportFormat> {
  return mappedReport(mappingOf(await readFile(mappingFile, 'utf8')));
}
