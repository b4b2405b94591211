import { type StreamableFile } from '@nestjs/common';
import { type PageView } from '../core/page.view.js';
import { csvAnswer } from './csv-answer.js';

/** So many rows a file has at most, the first ones of the list. */
const MOST = 100_000;
/** A list whose filter fits little is read so far. */
const MOST_PAGES = 1_000;

/** All pages of a list as a CSV file, read as they are sent. */
export function listFile<Row extends object>(
  name: string,
  read: (cursor: string | null) => Promise<PageView<Row>>,
  columns?: readonly (keyof Row & string)[],
): StreamableFile {
  return csvAnswer(name, linesOf(read), columns);
}

async function* linesOf<Row extends object>(
  read: (cursor: string | null) => Promise<PageView<Row>>,
): AsyncGenerator<object> {
  let cursor: string | null = null;
  let [rows, pages] = [0, 0];
  do {
    const page: PageView<Row> = await read(cursor);
    yield* page.data.slice(0, MOST - rows);
    rows += page.data.length;
    pages += 1;
    cursor = page.next_cursor;
  } while (cursor !== null && rows < MOST && pages < MOST_PAGES);
}
