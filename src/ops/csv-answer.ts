import { StreamableFile } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { Readable } from 'node:stream';
import { csvOptions, csvRow } from '../core/csv.js';

/**
 * Answers of the API as a CSV file to keep, in constant memory. Amounts are in units of their currency: `12.34`. Absent
 * `columns` are those of the first row.
 */
export function csvAnswer(
  name: string,
  rows: AsyncIterable<object> | Iterable<object>,
  columns?: readonly string[],
): StreamableFile {
  const file = stringify(columns ? { ...csvOptions, columns: [...columns] } : csvOptions);
  const source = Readable.from(written(rows));
  source.on('error', (error) => file.destroy(error));
  file.on('close', () => source.destroy());
  return new StreamableFile(source.pipe(file), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name}"`,
  });
}

async function* written(rows: AsyncIterable<object> | Iterable<object>): AsyncGenerator<object> {
  for await (const row of rows) yield csvRow(row);
}
