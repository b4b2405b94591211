import { CsvError, type Info, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { ReportRefused } from './report-line.js';

/** A row of a CSV file as text, by column. */
export interface CsvRow {
  readonly line: number;
  cell(column: string): string;
}

interface CsvRules {
  /** Columns that must be there. */
  readonly columns: readonly string[];
  readonly delimiter?: string;
}

/** Lines above the heading that some reports have. */
const MAX_LINES_ABOVE = 5;

/**
 * Streams the rows below the heading, wherever in the first lines that stands. A byte order mark, CRLF and quoted
 * commas are what CSV may have.
 * @throws ReportRefused with the line, for what is no UTF-8, no CSV or not whole
 */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>, rules: CsvRules): AsyncGenerator<CsvRow> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    delimiter: rules.delimiter ?? ',',
    max_record_size: 65_536,
  });
  const source = Readable.from(utf8(bytes));
  source.on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  let places: ReadonlyMap<string, number> | null = null;
  let width = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      const line = info.lines;
      if (places === null) {
        const names = record.map((name) => name.trim());
        if (rules.columns.every((column) => names.includes(column))) {
          places = new Map(names.map((name, index) => [name, index]));
          width = names.length;
        } else if (info.records > MAX_LINES_ABOVE) break;
        continue;
      }
      if (record.length !== width) {
        throw refused(line, `has ${record.length} columns, and the heading has ${width}`);
      }
      const at = places;
      yield { line, cell: (column) => record[at.get(column) ?? width] ?? '' };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const line = (error as { lines?: number }).lines ?? null;
    throw new ReportRefused([{ line, message: `is no CSV: ${error.message.split('\n')[0]!}` }]);
  } finally {
    source.destroy();
  }
  if (places === null) {
    throw new ReportRefused([
      { line: null, message: `no heading with the columns ${rules.columns.join(', ')} was found` },
    ]);
  }
}

function refused(line: number, message: string): ReportRefused {
  return new ReportRefused([{ line, message }]);
}

const LINE_BREAK = 0x0a;

/** @throws ReportRefused for what is no UTF-8, and where the last line has no end: the file is cut off */
async function* utf8(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let line = 1;
  let last: number | undefined;
  for await (const chunk of bytes) {
    if (chunk.length === 0) continue;
    if (
      last === undefined &&
      ((chunk[0] === 0xff && chunk[1] === 0xfe) || (chunk[0] === 0xfe && chunk[1] === 0xff))
    ) {
      throw refused(1, 'the file is UTF-16; save it as UTF-8');
    }
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw refused(line + badLineIn(chunk), 'holds bytes that are no UTF-8');
    }
    if (text.includes('\0')) throw refused(line, 'holds NUL characters: this is no text');
    for (const byte of chunk) if (byte === LINE_BREAK) line++;
    last = chunk.at(-1);
    yield text;
  }
  if (last === undefined) throw new ReportRefused([{ line: null, message: 'the file is empty' }]);
  if (last !== LINE_BREAK) throw refused(line, 'ends without a line break: the file is cut off');
}

/** How many lines above the first one that is no UTF-8. */
function badLineIn(chunk: Uint8Array): number {
  let count = 0;
  for (let from = 0; from < chunk.length;) {
    const found = chunk.indexOf(LINE_BREAK, from);
    const to = found === -1 ? chunk.length : found;
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(chunk.subarray(from, to));
    } catch {
      // The beginning of the chunk may be the rest of a character.
      if (from > 0) return count;
    }
    count++;
    from = to + 1;
  }
  return 0;
}
