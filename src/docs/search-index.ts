import MiniSearch from 'minisearch';
import { type Guide, hrefOf } from './guides.js';

/** A part of a page: what stands before its first heading of the second level, or below one. */
interface Part {
  /** The address at which it is read. */
  readonly id: string;
  readonly page: string;
  readonly section: string;
  readonly text: string;
  /** Its beginning, for the list of what was found. */
  readonly start: string;
}

const START = 120;

/** `docs/site/site.js` reads the index with the same fields. */
const fields = ['page', 'section', 'text'];
const storeFields = ['page', 'section', 'start'];

/** All guides by their words, for a search in the browser: no request leaves the service. JSON of MiniSearch. */
export function searchIndexOf(guides: Iterable<Guide>): string {
  const index = new MiniSearch<Part>({ fields, storeFields });
  for (const guide of guides) index.addAll(partsOf(guide));
  return JSON.stringify(index);
}

function partsOf({ path, title, render }: Guide): Part[] {
  const { html: whole } = render();
  // The page of a problem is short, and its example holds the words of each.
  const isProblem = path.startsWith('problems/');
  const [before = '', ...sections] = isProblem
    ? [whole.replaceAll(/<pre.*?<\/pre>/gs, '')]
    : whole.split('<h2 id="');
  const part = (anchor: string, section: string, html: string): Part => {
    const text = textOf(html);
    return { id: `${hrefOf(path)}${anchor}`, page: title, section, text, start: text.slice(0, START) };
  };
  return [
    part('', '', before),
    ...sections.map((html) => {
      const [, anchor = '', section = '', text = ''] = /^([^"]*)">(.*?)<\/h2>(.*)$/s.exec(html) ?? [];
      return part(`#${anchor}`, textOf(section), text);
    }),
  ];
}

const named: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>' };

/** The words of HTML of ours. */
function textOf(html: string): string {
  return html
    .replaceAll(/<h1[^>]*>.*?<\/h1>/g, '')
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/&(?:#x27|#(\d+)|(\w+));/g, (_, code?: string, name?: string) =>
      name === undefined ? String.fromCharCode(Number(code ?? 39)) : (named[name] ?? ' '),
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
