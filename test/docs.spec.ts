import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { programOf } from '../src/commands/program.js';
import { loadConfig } from '../src/config/config.js';
import { variableNames } from '../src/config/environment.js';
import { type Lifecycle } from '../src/core/lifecycle.js';
import { problemCatalogue } from '../src/core/problem.js';
import { paymentLifecycle } from '../src/payments/payment.lifecycle.js';
import { anchorOf } from '../src/docs/markdown.js';
import { refundLifecycle } from '../src/refunds/refund.lifecycle.js';
import { payoutLifecycle } from '../src/payouts/payout.lifecycle.js';

/** Documents say what the code does, and what they point to is there. */
const root = resolve(__dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const documents = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];

const sources = ['src', 'packages', 'migrations']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((name) => name.endsWith('.ts') && !/\/(dist|node_modules)\//.test(name));

/** The cells of every table row whose first cell is one word of code. */
function rowsOf(markdown: string): Map<string, string[]> {
  const rows = [...markdown.matchAll(/^\| `(\w+)` *\|(.*)\|$/gm)];
  return new Map(rows.map(([, first, rest]) => [first!, rest!.split('|').map((cell) => cell.trim())]));
}

function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replaceAll(/^```.*?^```/gms, '').matchAll(/^#+ +(.*)$/gm)];
  return headings.map(([, text]) => anchorOf(text!));
}

describe('documents', () => {
  /** The faults that `faultsOf` finds in each document, with the document's name before them. */
  const faults = (faultsOf: (document: string) => readonly string[]) =>
    documents.flatMap((document) => faultsOf(document).map((fault) => `${document}: ${fault}`));

  it('link to documents and headings that are there', () => {
    const isDead = (document: string, target: string) => {
      const [path, anchor] = target.split('#') as [string, string?];
      const file = path === '' ? document : relative(root, resolve(root, dirname(document), path));
      return (
        !existsSync(join(root, file)) || (anchor !== undefined && !anchorsOf(read(file)).includes(anchor))
      );
    };
    const dead = faults((document) =>
      Array.from(read(document).matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target!).filter(
        (target) => !/^https?:/.test(target) && isDead(document, target),
      ),
    );
    expect(dead).toEqual([]);
  });

  it('name files of ours that are there', () => {
    const gone = faults((document) =>
      Array.from(
        read(document).matchAll(/`((?:src|test|packages|migrations|docker|docs)\/[^`*<\s]*)`/g),
        ([, path]) => path!,
      ).filter((path) => !existsSync(join(root, path))),
    );
    expect(gone).toEqual([]);
  });

  it('name functions that stand in the file that they name', () => {
    const stands = (name: string, file: string) =>
      sources
        .filter((source) => source === file || source.endsWith(`/${file}`))
        .some((source) => new RegExp(`\\b${name}\\b`).test(read(source)));
    const missing = faults((document) =>
      [...read(document).matchAll(/`(\w+)\(\)` (?:in |\()`([\w./-]+\.ts)`/g)].flatMap(([text, name, file]) =>
        stands(name!, file!) ? [] : [text],
      ),
    );
    expect(missing).toEqual([]);
  });

  it('are all reached from the README or from a document beside it', () => {
    const linked = new Set(
      documents.flatMap((document) =>
        [...read(document).matchAll(/\]\(([^)#\s]+)/g)].map(([, target]) =>
          relative(root, resolve(root, dirname(document), target!)),
        ),
      ),
    );
    expect(documents.filter((document) => document !== 'README.md' && !linked.has(document))).toEqual([]);
  });
});

describe('docs/configuration.md', () => {
  const document = read('docs/configuration.md');
  const rows = rowsOf(document);

  it('lists every variable of the configuration and no other', () => {
    expect([...rows.keys()]).toEqual(variableNames);
    // A map would hide one that is listed twice.
    expect(document.match(/^\| `[A-Z_]+` *\|/gm)).toHaveLength(variableNames.length);
  });

  it('states the defaults that the code has', () => {
    const config: Readonly<Record<string, unknown>> = { ...loadConfig({}) };
    for (const [name, [stated]] of rows) {
      const property = name
        .replace(/^PAYONCE_/, '')
        .toLowerCase()
        .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      expect(config).toHaveProperty(property);
      const value = config[property];
      if (value === null) expect([name, stated]).toEqual([name, 'none']);
      else if (typeof value === 'string' || typeof value === 'number') {
        expect([name, stated]).toEqual([name, `\`${value}\``]);
      }
    }
  });
});

describe('docs/cli.md', () => {
  const payonce = programOf(
    () => Promise.resolve(),
    () => Promise.resolve(),
  );
  const leaves = payonce.commands.flatMap((group) =>
    group.commands.length === 0
      ? [[group.name(), group] as const]
      : group.commands.map((leaf) => [`${group.name()} ${leaf.name()}`, leaf] as const),
  );
  const rows = [...read('docs/cli.md').matchAll(/^\| `npx payonce .*$/gm)].map(([row]) => row);

  it('lists every command with its options, and no other', () => {
    const rowOf = (name: string) =>
      rows.find((row) => new RegExp(`^\\| \`npx payonce ${name}[ \`]`).test(row));
    expect(leaves.filter(([name]) => !rowOf(name)).map(([name]) => name)).toEqual([]);
    expect(rows).toHaveLength(leaves.length);
    // Said once, for all of them.
    const common = ['--json', '--by'];
    const said = read('docs/cli.md').match(/^Every `payonce` command takes .*$/m)?.[0];
    for (const option of common) expect(said).toContain(`\`${option}`);
    for (const [name, { options }] of leaves) {
      const named = options.map(({ long }) => long!).filter((long) => !common.includes(long));
      expect([name, named.filter((long) => !rowOf(name)!.includes(long))]).toEqual([name, []]);
    }
  });
});

describe('docs/GLOSSARY.md', () => {
  it('explains each word once', () => {
    const words = [...read('docs/GLOSSARY.md').matchAll(/^\| \*\*(.+?)\*\*/gm)].map(([, word]) => word!);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
  });
});

describe('README.md and CONTRIBUTING.md', () => {
  it('name npm scripts that exist, and all that a person would run', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const text = `${read('README.md')}${read('CONTRIBUTING.md')}`;
    const named = [...text.matchAll(/npm (?:run )?((?<=run )[\w:]+|start|test)/g)];
    const meant = Object.keys(scripts).filter(
      (name) => !(name.replace(/^pre/, '') in scripts && name.startsWith('pre')),
    );
    expect(new Set(named.map(([, name]) => name))).toEqual(new Set(meant));
  });
});

describe('docs/problems.md', () => {
  it('lists every code with its status, and no other', () => {
    const stated = [...rowsOf(read('docs/problems.md'))].map(([code, [status]]) => [code, Number(status)]);
    expect(stated).toEqual(Object.entries(problemCatalogue).map(([code, [status]]) => [code, status]));
  });
});

describe('docs/lifecycles', () => {
  it.each<[string, Pick<Lifecycle<string, string>, 'mermaid' | 'states'>]>([
    ['payment.md', paymentLifecycle],
    ['payout.md', payoutLifecycle],
    ['refund.md', refundLifecycle],
  ])('%s shows what the code prints', (name, lifecycle) => {
    const document = read(`docs/lifecycles/${name}`);
    expect(/```mermaid\n(.*?)\n```/s.exec(document)?.[1]).toBe(lifecycle.mermaid());
    expect(lifecycle.states.filter((state) => !document.includes(`| \`${state}\``))).toEqual([]);
  });
});

describe('docs/ARCHITECTURE.md', () => {
  it('names the folders and what each may import, as the rules do', async () => {
    const { default: rules } = (await import(join(root, '.dependency-cruiser.cjs'))) as {
      default: { forbidden: { name: string; comment: string }[] };
    };
    const ruled = rules.forbidden
      .filter(({ name }) => name.startsWith('direction-'))
      .map(({ comment }) => comment.replace(' may import only', '').replace('nothing of ours', 'nothing'));
    const rows = read('docs/ARCHITECTURE.md').matchAll(/^\| `src\/([\w-]+)\/` +\|.*\| (.*?) *\|$/gm);
    const named = [...rows].map(([, folder, imports]) => `${folder}: ${imports}`);
    expect(named.toSorted()).toEqual(ruled.toSorted());
  });

  it('names rules of the database that migrations make', () => {
    const document = read('docs/ARCHITECTURE.md');
    const [, section] = document.split('\n## What the database refuses\n');
    const named = [...section!.split('\n## ')[0]!.matchAll(/^\| `\*?(\w+)`/gm)].map(([, name]) => name!);
    const made = readdirSync(join(root, 'migrations')).map((name) => read(`migrations/${name}`));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !made.some((text) => text.includes(name)))).toEqual([]);
  });
});
