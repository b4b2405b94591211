import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { adversarialTexts, MAX_MS, withinMs } from '../../test/support/adversarial-texts.js';

/** Every regular expression literal of the code, and every text that is one from ^ to $. */
function patternsOf(folder: string): [where: string, pattern: RegExp][] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter(
    (name) => /(?<!\.spec|\.d)\.ts$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name),
  );
  return files.toSorted().flatMap((name) => {
    const path = join(folder, name);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const found: [string, RegExp][] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const [, body, flags] = /^\/(.*)\/([a-z]*)$/s.exec(node.text)!;
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push([`${path}:${line} ${node.text}`, new RegExp(body!, flags)]);
      } else if (ts.isStringLiteralLike(node) && /^\^.*\$$/s.test(node.text)) {
        found.push([`${path} ${node.text}`, new RegExp(node.text, 'u')]);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** Every regular expression that these modules put together when they are loaded. */
function builtBy(files: readonly string[]): [where: string, pattern: RegExp][] {
  const BuiltIn = RegExp;
  const found: [string, RegExp][] = [];
  let loading = '';
  const build = (args: ConstructorParameters<typeof RegExp>) => {
    const pattern = new BuiltIn(...args);
    found.push([`${loading} ${pattern.source}`, pattern]);
    return pattern;
  };
  globalThis.RegExp = new Proxy(BuiltIn, {
    apply: (_target, _this, args: ConstructorParameters<typeof RegExp>) => build(args),
    construct: (_target, args: ConstructorParameters<typeof RegExp>) => build(args),
  });
  try {
    for (loading of files) jest.isolateModules(() => require(join(process.cwd(), loading)));
  } finally {
    globalThis.RegExp = BuiltIn;
  }
  return found;
}

/** Characters that the pattern is likely to repeat: one of each common class, and signs of its own. */
function charactersOf({ source }: RegExp): string {
  const own = source.replaceAll(/\\p\{.*?\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[a-zA-Z]/g, '');
  const signs = Array.from('@.-/_:=<+"\'\\,;&%').filter((sign) => own.includes(sign));
  return `a0 ${signs.slice(0, 5).join('')}`;
}

/** What the pattern names literally. */
function wordsOf({ source }: RegExp): string[] {
  const words = [...source.matchAll(/(?<![\\A-Za-z{])[A-Za-z]{2,}[_:;=-]?/g)].map(([word]) => word);
  return [...new Set(words)].slice(0, 6).flatMap((word) => [word, `${word} `]);
}

describe('the regular expressions of the code', () => {
  const builders = ['src/core/redact.ts', 'src/core/card-number.ts', 'src/http/route-table.ts'];
  const patterns = [...['src', 'packages'].flatMap(patternsOf), ...builtBy(builders)];

  it('are all in view', () => {
    expect(patterns.length).toBeGreaterThan(150);
  });

  it.each(patterns)('%s takes linear time', (_where, pattern) => {
    for (const text of adversarialTexts(charactersOf(pattern), wordsOf(pattern))) {
      withinMs(MAX_MS, () => (pattern.global ? text.replace(pattern, '') : pattern.exec(text)));
    }
  });
});
