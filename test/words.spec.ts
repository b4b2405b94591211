import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const src = resolve(__dirname, '../src');
const WITHOUT_SUBJECT = /^[\t ]*(?:\/\*\*(?:\n *\*)?|\/\/) (?:What|Of|As|Where|Whose|Until)\b.*/gm;

/** A comment is a sentence with a subject, or a noun phrase that names the thing below it. */
function withoutSubject(text: string): string[] {
  return text.match(WITHOUT_SUBJECT) ?? [];
}

describe('comments', () => {
  it('are seen where their subject is missing', () => {
    const text =
      '/** What it holds. */\n  // Of this account.\n/**\n * Where it is.\n */\n/** The account that it holds. */\nconst of = 1;';
    expect(withoutSubject(text)).toHaveLength(3);
  });

  it('of src begin with their subject', () => {
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'),
    );
    const found = files.flatMap((name) =>
      withoutSubject(readFileSync(join(src, name), 'utf8')).map((line) => `${name}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});
