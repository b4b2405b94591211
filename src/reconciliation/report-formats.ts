import { open, readFile } from 'node:fs/promises';
import { mappedReport, mappingOf } from './mapped-report.js';
import { type ReportFormat } from '../psp/report-format.js';
import { adapters } from '../psp/registry.js';
import { ReportRefused } from '../psp/report-line.js';
export { ReportRefused } from '../psp/report-line.js';

/** The account that a report is said to be of. */
export interface ReportedAccount {
  /** The IBAN or the merchant account, where a file may be about others too. */
  readonly account?: string | undefined;
  /** Absent: it is not configured here. */
  readonly adapter?: string | undefined;
}

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
  const known = adapters.flatMap(({ adapter: of, reportFormats = [] }) =>
    reportFormats.flatMap(([word, read]) => (head.includes(word) ? [{ of, format: read(account) }] : [])),
  );
  const found = known.find(({ of }) => of === adapter) ?? known[0];
  if (found === undefined) {
    throw new ReportRefused([{ line: 1, message: 'the heading is that of no report that is known' }]);
  }
  const { of, format } = found;
  if (adapter === undefined || adapter === of) return format;
  throw new ReportRefused([
    { line: 1, message: `this is a report of ${of} (${format.name}), and the account is of ${adapter}` },
  ]);
}

/** A CSV of any other PSP, as the file of its mapping says. @throws ReportRefused for what is no mapping */
export async function mappedFormat(mappingFile: string): Promise<ReportFormat> {
  return mappedReport(mappingOf(await readFile(mappingFile, 'utf8')));
}
