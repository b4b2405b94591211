import { type StreamableFile } from '@nestjs/common';
import { formatMoney } from '../core/money.js';
import { type PageView } from '../core/page.view.js';
import { csvAnswer } from './csv-answer.js';

/** So many rows a file has at most, the first ones of the list. */
const MOST = 100_000;
/** A list whose filter fits little is read so far. */
const MOST_PAGES = 1_000;

/** All pages of a list as a CSV file, read as they are sent. Amounts are in units of the currency: `12.34`. */
export function listFile<Row extends object>(
  name: string,
  read: (cursor: string | null) => Promise<PageView<Row>>,
): StreamableFile {
  return csvAnswer(name, linesOf(read));
}

async function* linesOf<Row extends object>(
  read: (cursor: string | null) => Promise<PageView<Row>>,
): AsyncGenerator<object> {
  let cursor: string | null = null;
  let [rows, pages] = [0, 0];
  do {
    const page: PageView<Row> = await read(cursor);
    for (const row of page.data.slice(0, MOST - rows)) yield lineOf(row);
    rows += page.data.length;
    pages += 1;
    cursor = page.next_cursor;
  } while (cursor !== null && rows < MOST && pages < MOST_PAGES);
}

function lineOf(row: object): object {
  const { currency } = row as { readonly currency?: unknown };
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, textOf(name, value as unknown, currency)]),
  );
}

function textOf(name: string, value: unknown, currency: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (name.startsWith('amount') && typeof value === 'number' && typeof currency === 'string') {
    return formatMoney({ amount: value, currency }).split(' ')[0]!;
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
