import { stringify } from 'csv-stringify';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { csvOptions, csvRow } from '../core/csv.js';

/**
 * Writes rows to a new file that its owner alone may read, with a heading, in constant memory. Returns how many.
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
      yield csvRow(viewOf(row));
    }
  }
  await pipeline(
    Readable.from(views()),
    stringify(csvOptions),
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  );
  return count;
}
