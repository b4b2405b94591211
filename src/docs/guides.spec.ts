import { readdirSync, readFileSync } from 'node:fs';
import { problemCatalogue } from '../core/problem.js';
import { Guides } from './guides.js';
import { guidePage } from './layout.js';
import { Site } from './site.js';

const markdownFiles = ['docs', 'packages', '.']
  .flatMap((folder) =>
    readdirSync(folder, { recursive: folder !== '.', encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((file) => file.endsWith('.md') && !file.includes('node_modules'));

/** The lines outside of fenced samples. */
function withoutCode(markdown: string): string[] {
  return markdown.replaceAll(/^```.*?^```$/gms, '').split('\n');
}

const guides = new Guides();
const pages = new Map([...guides.pages].map(([path, guide]) => [path, guidePage(guide, guides.readers)]));
/** Served beside the guides. */
const others = ['api/merchants', 'api/operators', 'api/psps'];

function leadsSomewhere(path: string, href: string): boolean {
  const [, target = path, anchor] = /^(?:\/docs\/?([^#]*))?(?:#(.*))?$/.exec(href) ?? [href, href];
  const page = pages.get(target);
  return page === undefined ? others.includes(target) : !anchor || page.includes(` id="${anchor}"`);
}

describe('the guides', () => {
  it('are listed by reader', () => {
    expect(guides.readers).toHaveLength(5);
    for (const { name, guides: listed } of guides.readers) {
      expect([name, listed.length > 3]).toEqual([name, true]);
    }
  });

  it('link to pages, and to headings that they have', () => {
    const dead = [...pages].flatMap(([path, page]) =>
      Array.from(page.matchAll(/<a [^>]*href="([^"]*)"/g), ([, href]) => href!)
        .filter((href) => !href.startsWith('https:') && !leadsSomewhere(path, href))
        .map((href) => `${path}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  it('need no policy looser than the one that they are sent with', () => {
    for (const page of pages.values()) {
      expect(page).not.toMatch(/<script(?! src="\/docs\/assets\/)|<style| style="|<[^>]+ on\w+=/);
      expect(page).not.toMatch(/<(?:img|link|script)[^>]+(?:src|href)="(?:https?:)?\/\//);
    }
  });

  it('show pictures that the site serves', async () => {
    const site = new Site(() => Promise.reject(new Error('takes no document')));
    const shown = [...pages.values()].flatMap((page) =>
      Array.from(page.matchAll(/<img src="\/docs\/([^"]*)"/g), ([, path]) => path!),
    );
    expect(shown).toContain('images/console-payment.png');
    for (const path of shown) {
      const contentType = path.endsWith('.jpg') ? 'image/jpeg' : 'image/png';
      expect(await site.at(path)).toMatchObject({ contentType });
    }
  });

  it('have tables whose rows have as many cells as their head', () => {
    // Marked fills up what is missing and drops what is too much, so that a page would not show it.
    const odd = markdownFiles.flatMap((file) => {
      let cells: number | null = null;
      return withoutCode(readFileSync(file, 'utf8')).flatMap((line) => {
        if (!line.startsWith('|')) {
          cells = null;
          return [];
        }
        const count = line.match(/(?<!\\)\|/g)!.length;
        cells ??= count;
        return count === cells ? [] : [`${file}: ${line.slice(0, 60)}`];
      });
    });
    expect(odd).toEqual([]);
  });

  it('show no tag that HTML does not know, as `<id>` outside of code would be', () => {
    const known =
      /^(?:a|article|aside|blockquote|body|br|code|defs|del|details|div|em|form|g|h[1-6]|head|header|hr|html|img|input|li|link|main|meta|marker|nav|ol|p|path|pre|rect|script|span|strong|summary|svg|table|tbody|td|text|th|thead|title|tr|ul|!doctype)$/;
    for (const [path, page] of pages) {
      const tags = new Set(Array.from(page.matchAll(/<\/?([!\w-]+)/g), ([, tag]) => tag!.toLowerCase()));
      expect([path, [...tags].filter((tag) => !known.test(tag))]).toEqual([path, []]);
    }
  });

  it('have a page for each problem, with its cause, what to do and an example', () => {
    for (const [code, [status, title]] of Object.entries(problemCatalogue)) {
      const page = pages.get(`problems/${code}`)!;
      expect(pages.get('problems')).toContain(`href="/docs/problems/${code}"`);
      for (const text of [title, `Status ${status}`, 'id="cause"', 'id="what-to-do"', `problems/${code}`]) {
        expect([code, page.includes(text)]).toEqual([code, true]);
      }
    }
  });

  it('draw a lifecycle, and show its arrows as rows', () => {
    const lifecycle = pages.get('lifecycles/payment')!;
    for (const state of ['processing', 'captured', 'refunded'])
      expect(lifecycle).toMatch(new RegExp(`<text [^>]*>${state}</text>`));
    expect(pages.get('lifecycles/payment')).toContain(
      '<td data-label="from">processing</td><td data-label="event">charged</td><td data-label="to">captured</td>',
    );
    for (const page of pages.values()) expect(page).not.toMatch(/stateDiagram|flowchart|sequenceDiagram/);
  });
});
