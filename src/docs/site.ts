import { type OpenAPIObject } from '@nestjs/swagger';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { audiences, documentFor } from './audiences.js';
import { projectRoot } from '../core/project-root.js';
import { Guides } from './guides.js';
import { guidePage, referencePage } from './layout.js';
import { searchIndexOf } from './search-index.js';

export interface Resource {
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly etag: string;
}

const HTML = 'text/html; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const imageTypes: Readonly<Record<string, string>> = { '.jpg': 'image/jpeg', '.png': 'image/png' };

/** All that is served below /docs, each made at its first request. Paths that are not listed here are not there. */
export class Site {
  private readonly makers = new Map<
    string,
    readonly [contentType: string, make: () => Promise<string> | string | Buffer]
  >();
  private readonly made = new Map<string, Promise<Resource>>();

  constructor(makeDocument: () => Promise<OpenAPIObject>, root: string = projectRoot()) {
    const guides = new Guides(root);
    const swaggerUi = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
    let document: Promise<OpenAPIObject> | undefined;
    const whole = (): Promise<OpenAPIObject> => (document ??= makeDocument());
    for (const [path, guide] of guides.pages) {
      this.makers.set(path, [HTML, () => guidePage(guide, guides.readers)]);
    }
    this.makers.set('search.json', [JSON_TYPE, () => searchIndexOf(guides.pages.values())]);
    this.makers.set('openapi.json', [JSON_TYPE, async () => JSON.stringify(await whole())]);
    for (const [name, audience] of Object.entries(audiences)) {
      this.makers.set(`api/${name}`, [HTML, () => referencePage(name, guides.readers)]);
      this.makers.set(`openapi/${name}.json`, [
        JSON_TYPE,
        async () => JSON.stringify(documentFor(audience, await whole())),
      ]);
    }
    const file = (path: string, contentType: string, from: string, name = path): void => {
      this.makers.set(`assets/${path}`, [contentType, () => readFileSync(join(from, name), 'utf8')]);
    };
    const miniSearch = dirname(createRequire(import.meta.url).resolve('minisearch'));
    for (const name of readdirSync(join(root, 'docs/images'))) {
      const contentType = imageTypes[extname(name)]!;
      this.makers.set(`images/${name}`, [contentType, () => readFileSync(join(root, 'docs/images', name))]);
    }
    file('site.css', CSS, join(root, 'docs/site'));
    file('site.js', SCRIPT, join(root, 'docs/site'));
    file('minisearch.js', SCRIPT, miniSearch, '../umd/index.js');
    file('reference.js', SCRIPT, join(root, 'docs/site'));
    file('swagger-ui.css', CSS, swaggerUi);
    file('swagger-ui-bundle.js', SCRIPT, swaggerUi);
  }

  get paths(): readonly string[] {
    return [...this.makers.keys()];
  }

  at(path: string): Promise<Resource> | undefined {
    const maker = this.makers.get(path);
    if (maker === undefined) return undefined;
    let resource = this.made.get(path);
    if (resource === undefined) this.made.set(path, (resource = make(...maker)));
    return resource;
  }
}

async function make(contentType: string, maker: () => Promise<string> | string | Buffer): Promise<Resource> {
  const body = await maker();
  return { contentType, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
