import { StreamableFile } from '@nestjs/common';
import { stringify } from 'csv-stringify';
import { Readable } from 'node:stream';

/** Rows as a CSV file to keep, in constant memory. What a spreadsheet would take for a formula is a text in it. */
export function csvAnswer(name: string, rows: AsyncIterable<object> | Iterable<object>): StreamableFile {
  const file = stringify({ header: true, escape_formulas: true });
  const source = Readable.from(rows);
  source.on('error', (error) => file.destroy(error));
  file.on('close', () => source.destroy());
  return new StreamableFile(source.pipe(file), {
    type: 'text/csv; charset=utf-8',
    disposition: `attachment; filename="${name}"`,
  });
}
