import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import { type ProblemCode, problemCatalogue } from '../core/problem.js';
import { projectRoot } from '../core/project-root.js';
import { problemExample } from '../http/problem.example.js';
import { type Rendered, renderMarkdown } from './markdown.js';

/** Documents outside docs/ that are served beside the guides. */
const beside = new Map([
  ['README.md', 'start'],
  ['CONTRIBUTING.md', 'contribute'],
  ['CHANGELOG.md', 'changelog'],
  ['SECURITY.md', 'security'],
  ['packages/client/README.md', 'packages/client'],
  ['packages/conformance/README.md', 'packages/conformance'],
  ['packages/idempotency/README.md', 'packages/idempotency'],
  ['packages/simulator/README.md', 'packages/simulator'],
]);

const PROBLEMS = 'docs/problems.md';

/** A page of the site. */
export interface Guide {
  /** Below /docs; '' is the overview. */
  readonly path: string;
  readonly title: string;
  readonly render: () => Rendered;
}

/** A heading of the overview, a reader, with the guides for that reader. */
export interface Reader {
  readonly name: string;
  readonly guides: readonly { readonly href: string; readonly title: string }[];
}

/** Every document of the project. Only what is known here is served: no path of a file is made from a request. */
export class Guides {
  readonly readers: readonly Reader[];
  readonly pages: ReadonlyMap<string, Guide>;

  constructor(root: string = projectRoot()) {
    const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .toSorted();
    const files = new Map([...inDocs.map((name) => [`docs/${name}`, pathOf(name)] as const), ...beside]);
    const folders = [...new Set(inDocs.map((name) => posix.dirname(name)))].filter((name) => name !== '.');
    const images = readdirSync(join(root, 'docs/images')).map((name) => `images/${name}`);
    const targets = new Map([
      ...files,
      ...[...folders, ...images].map((name) => [`docs/${name}`, name] as const),
    ]);
    const hrefIn = (file: string) => (target: string) => hrefFrom(file, target, targets);
    const documents = [...files].map(([file, path]) => {
      const text = readFileSync(join(root, file), 'utf8');
      return guideOf(path, file === PROBLEMS ? linkingCodes(text) : text, hrefIn(file));
    });
    const pages = [
      ...documents,
      ...folders.map((folder) => contentsOf(folder, documents)),
      ...problemPages(readFileSync(join(root, PROBLEMS), 'utf8'), hrefIn(PROBLEMS)),
    ];
    this.pages = new Map(pages.map((page) => [page.path, page]));
    this.readers = readersOf(this.pages.get('')!.render().html, this.pages);
  }
}

type HrefOf = (target: string) => string | null;

function guideOf(path: string, markdown: string, hrefOf: HrefOf): Guide {
  const title = path === 'start' ? 'Run Payonce' : /^# (.*)$/m.exec(markdown)![1]!.replaceAll('`', '');
  return { path, title, render: () => renderMarkdown(markdown, hrefOf) };
}

/** The address on the site to which a link of this file leads. */
function hrefFrom(file: string, target: string, targets: ReadonlyMap<string, string>): string | null {
  // The overview names the reference by its address on a developer's machine.
  if (/^https?:/.test(target)) return target.replace(/^http:\/\/127\.0\.0\.1:3000(?=\/docs)/, '');
  const [path, anchor] = target.split('#') as [string, string?];
  if (path === '' || path.startsWith('/docs/')) return target;
  const known = targets.get(posix.join(posix.dirname(file), path).replace(/\/$/, ''));
  return known === undefined ? null : `${hrefOf(known)}${anchor === undefined ? '' : `#${anchor}`}`;
}

export function hrefOf(path: string): string {
  return path === '' ? '/docs' : `/docs/${path}`;
}

function pathOf(name: string): string {
  return name === 'README.md' ? '' : name.replace(/\.md$/, '').toLowerCase();
}

function contentsOf(folder: string, pages: readonly Guide[]): Guide {
  const title = folder === 'adr' ? 'Decisions' : `${folder[0]!.toUpperCase()}${folder.slice(1)}`;
  const items = pages
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .map((page) => `- [${page.title}](${hrefOf(page.path)})`);
  return guideOf(folder, `# ${title}\n\n${items.join('\n')}\n`, (target) => target);
}

/** Each code in the first column leads to its page. */
function linkingCodes(markdown: string): string {
  return markdown.replaceAll(/^\| `(\w+)`/gm, '| [`$1`](/docs/problems/$1)');
}

/** A page for each code, made of its row in docs/problems.md. */
function problemPages(markdown: string, hrefOf: HrefOf): Guide[] {
  const table = new Marked().lexer(markdown).find(isTable)!;
  return table.rows.map((row) => {
    const [name, , when, remedy] = row.map(({ text }) => text) as [string, string, string, string];
    const code = name.replaceAll('`', '') as ProblemCode;
    const [status, title] = problemCatalogue[code];
    const page = `# \`${code}\`

**${title}.** Status ${status}.

## Cause

${sentence(when)}

## What to do

${sentence(remedy)}

## Example

\`\`\`json
${JSON.stringify(problemExample(code), null, 2)}
\`\`\`

[All problems](problems.md)
`;
    return guideOf(`problems/${code}`, page, hrefOf);
  });
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function readersOf(html: string, pages: ReadonlyMap<string, Guide>): Reader[] {
  return html
    .split('<h2 ')
    .slice(1)
    .map((section) => {
      const name = /^[^>]*>(.*?)<\/h2>/.exec(section)![1]!;
      const hrefs = [...section.matchAll(/href="(\/docs\/[^"#]*)/g)].map(([, href]) => href!);
      const guides = [...new Set(hrefs)].flatMap((href) => {
        const title = pages.get(href.replace('/docs/', ''))?.title;
        return title === undefined ? [] : [{ href, title }];
      });
      return { name, guides };
    });
}
