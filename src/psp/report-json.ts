import { type Json } from './json-body.js';
import { jsonLines } from './json-lines.js';
import { type Period, type ReportSource } from './psp-reports.js';
import { type ReportApi } from './report-api.js';
import { type ReportFormat } from './report-format.js';
import { type ReportLine, ReportRefused } from './report-line.js';
import { object, type Shape, shape, text } from './shape.js';

interface ListFormat extends ReportFormat {
  /** The name of the list: a word that no other format's heading has. */
  readonly list: string;
}

interface ListReport<T> extends Omit<ListFormat, 'read'> {
  readonly row: Shape<T>;
  /** The name of such a row, where a line is none. */
  readonly rowName: string;
  /** A row in our words; null where it moved no money; a text: what is wrong with it. */
  readonly lineOf: (row: T, line: number) => ReportLine | string | null;
}

/** A list of a PSP's API as a report: JSON lines, of which the first says which list and time it is. */
export function listReport<T>({ row, rowName, lineOf, ...format }: ListReport<T>): ListFormat {
  const heading = shape<object>(object({ object: { const: format.list }, from: text, to: text }));
  return {
    ...format,
    async *read(bytes, fault) {
      let hasHeading = false;
      for await (const { line, value } of jsonLines(bytes)) {
        if (!hasHeading) {
          if (!heading.fits(value))
            throw new ReportRefused([{ line, message: 'does not say of which time it is' }]);
          hasHeading = true;
          continue;
        }
        const read = row.fits(value) ? lineOf(value, line) : `is no ${rowName}`;
        if (typeof read === 'string') fault({ line, message: read });
        else if (read !== null) yield read;
      }
      if (!hasHeading) throw new ReportRefused([{ line: null, message: 'the file is empty' }]);
    },
  };
}

/** The bytes of such a report. */
export async function* listed(
  { list }: ListFormat,
  { from, to }: Period,
  rows: AsyncIterable<object>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield jsonLine({ object: list, from: from.toISOString(), to: to.toISOString() });
  for await (const row of rows) {
    signal.throwIfAborted();
    yield jsonLine(row);
  }
}

function jsonLine(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** Fetches a list of a PSP's JSON API as a report. */
export class ListReports implements ReportSource {
  constructor(
    readonly format: ListFormat,
    private readonly open: () => ReportApi,
    private readonly rows: (api: ReportApi, period: Period) => AsyncIterable<Json>,
  ) {}

  async *period(period: Period, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const api = this.open();
    try {
      yield* listed(this.format, period, this.rows(api, period), signal);
    } finally {
      api.close();
    }
  }
}

/** The rows of a list, page by page. `after`: the `next` of the page before. */
export async function* allPages(
  page: (
    after: string | undefined,
  ) => Promise<{ readonly rows: readonly Json[]; readonly next: string | null | undefined }>,
): AsyncGenerator<Json> {
  let after: string | undefined;
  do {
    const { rows, next } = await page(after);
    yield* rows;
    if (next !== null && next !== undefined && next === after) throw new Error(`the list repeats at ${next}`);
    after = next ?? undefined;
  } while (after !== undefined);
}
