import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { adversarialTexts, MAX_MS, withinMs } from '../../test/support/adversarial-texts.js';

/** Every regular expression literal of the code. */
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
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

/** Characters that the pattern is likely to repeat: one of each common class, and signs of its own. */
function charactersOf({ source }: RegExp): string {
  const own = source.replaceAll(/\\p\{.*?\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[a-zA-Z]/g, '');
  const signs = Array.from('@.-/_:=<+"\'\\,;&%').filter((sign) => own.includes(sign));
  return `a0 ${signs.slice(0, 5).join('')}`;
}

/** What the pattern names literally. */
function wordsOf({ source }: RegExp): string[] {
  return [...source.matchAll(/(?<![\\A-Za-z{])[A-Za-z]{2,}[_:;=-]?/g)].map(([word]) => word).slice(0, 4);
}

describe('the regular expressions of the code', () => {
  const patterns = ['src', 'packages'].flatMap(patternsOf);

  it('are all in view', () => {
    expect(patterns.length).toBeGreaterThan(90);
  });

  it.each(patterns)('%s takes linear time', (_where, pattern) => {
    for (const text of adversarialTexts(charactersOf(pattern), wordsOf(pattern))) {
      withinMs(MAX_MS, () => (pattern.global ? text.replace(pattern, '') : pattern.exec(text)));
    }
  });
});
