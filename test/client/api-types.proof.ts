import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnNode } from '../support/process.js';

/** The types of the client are those of the document that the service builds. */
const committed = resolve(__dirname, '../../packages/client/src/api-types.ts');

it('is what the OpenAPI document says now, and held against it line by line', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'payonce-api-types-'));
  try {
    const text = readFileSync(committed, 'utf8');
    const other = join(directory, 'other-types.ts');
    const changed = text.replace('readonly amount_captured: number;', 'readonly amount_caught: number;');
    expect(changed).not.toBe(text);
    writeFileSync(other, changed);

    const args = ['--check', '--file', committed, '--file', other];
    const checked = spawnNode('dist/test/client/write-api-types.js', { args });
    expect((await checked.exit).code).toBe(1);
    const [complaint, ...more] = checked.output().trim().split('\n');
    expect(complaint).toMatch(
      /other-types\.ts is not what the OpenAPI document says now: run npm run client:types$/,
    );
    expect(more).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
