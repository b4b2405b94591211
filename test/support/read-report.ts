import { type ReportFormat } from '../../src/psp/report-format.js';
import { type ReportFault, type ReportLine } from '../../src/psp/report-line.js';

/** The lines and faults of a report of JSON lines, whose bytes come in pieces that cut lines and characters apart. */
export async function readReport(
  format: ReportFormat,
  ...values: readonly unknown[]
): Promise<{ lines: ReportLine[]; faults: ReportFault[] }> {
  const text = values
    .map((value) => (typeof value === 'string' ? value : `${JSON.stringify(value)}\n`))
    .join('');
  async function* bytes() {
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += 7) yield all.subarray(at, at + 7);
  }
  const [lines, faults]: [ReportLine[], ReportFault[]] = [[], []];
  for await (const line of format.read(bytes(), (fault) => faults.push(fault))) lines.push(line);
  return { lines, faults };
}

/** The first line of such a report. */
export function headingOf(format: { readonly list: string }): object {
  return { object: format.list, from: '2026-11-20T00:00:00.000Z', to: '2026-11-21T00:00:00.000Z' };
}
