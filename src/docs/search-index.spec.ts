import MiniSearch from 'minisearch';
import { Guides } from './guides.js';
import { searchIndexOf } from './search-index.js';

const guides = new Guides();
const index = MiniSearch.loadJSON(searchIndexOf(guides.pages.values()), {
  fields: ['page', 'section', 'text'],
});

it.each([
  ['idempotency key', '/docs/problems/idempotency_key_missing'],
  ['first payment', '/docs/client#the-first-payment'],
  ['PAYONCE_SEAL_KEY', '/docs/configuration'],
])('finds %s where it is told', (words, place) => {
  const found = index.search(words, { combineWith: 'AND', prefix: true }).map(({ id }) => String(id));
  expect(found.some((id) => id.startsWith(place))).toBe(true);
});

it('leads to pages, and to headings that they have', () => {
  const ids = index.search(MiniSearch.wildcard).map(({ id }) => String(id));
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    const [, path = '', anchor] = /^\/docs\/?([^#]*)(?:#(.*))?$/.exec(id)!;
    const { html } = guides.pages.get(path)!.render();
    if (anchor !== undefined) expect(html).toContain(` id="${anchor}"`);
  }
});

it('shows words, not the HTML of samples', () => {
  for (const { start } of index.search(MiniSearch.wildcard)) expect(start).not.toMatch(/&(?:quot|amp|lt|#)/);
});
