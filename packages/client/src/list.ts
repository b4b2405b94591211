import { type Page } from './api.js';

/**
 * A list, page by page as it is asked for: `for await (const payment of client.payments.list())`.
 * Every page is a call of its own, with a deadline of its own; stop asking and no more is fetched.
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #page: (cursor: string | null) => Promise<Page<Item>>;

  constructor(page: (cursor: string | null) => Promise<Page<Item>>) {
    this.#page = page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** @throws PayonceError; Error where the service gives a cursor again, which would never end */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    const seen = new Set<string>();
    for (let cursor: string | null = null; ;) {
      const page: Page<Item> = await this.#page(cursor);
      yield page;
      if (!page.has_more || page.next_cursor === null) return;
      cursor = page.next_cursor;
      if (seen.has(cursor)) throw new Error('the list came back to a page that it had given before');
      seen.add(cursor);
    }
  }
}
