import { stringify } from 'csv-stringify';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Writes rows to a new file that its owner alone may read, with a heading, in constant memory. What a spreadsheet would
 * take for a formula is a text in it. Returns how many.
 */
export async function writeCsv<Row>(
  file: string,
  rows: AsyncIterable<Row> | Iterable<Row>,
  viewOf: (row: Row) => object,
): Promise<number> {
  let count = 0;
  async function* views() {
    for await (const row of rows) {
      count++;
      yield viewOf(row);
    }
  }
  await pipeline(
    Readable.from(views()),
    stringify({ header: true, escape_formulas: true }),
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  );
  return count;
}
