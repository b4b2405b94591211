import { problemCatalogue } from '../core/problem.js';
import { Guides } from './guides.js';
import { guidePage } from './layout.js';
import { Site } from './site.js';

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

  it('have a page for each problem, with its cause, what to do and an example', () => {
    for (const [code, [status, title]] of Object.entries(problemCatalogue)) {
      const page = pages.get(`problems/${code}`)!;
      expect(pages.get('problems')).toContain(`href="/docs/problems/${code}"`);
      for (const text of [title, `Status ${status}`, 'id="cause"', 'id="what-to-do"', `problems/${code}`]) {
        expect([code, page.includes(text)]).toEqual([code, true]);
      }
    }
  });

  it('show the arrows of a lifecycle as rows', () => {
    expect(pages.get('lifecycles/payment')).toContain(
      '<td data-label="from">processing</td><td data-label="event">charged</td><td data-label="to">captured</td>',
    );
    for (const page of pages.values()) expect(page).not.toMatch(/stateDiagram|flowchart|sequenceDiagram/);
  });
});
