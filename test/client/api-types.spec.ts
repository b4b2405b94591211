import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnNode } from '../support/process.js';

/** The types of the client are those of the document that the service builds. */
const committed = resolve(__dirname, '../../packages/client/src/api-types.ts');

async function check(file: string): Promise<{ code: number | null; output: string }> {
  const spawned = spawnNode('dist/test/client/write-api-types.js', { args: ['--check', '--file', file] });
  const { code } = await spawned.exit;
  return { code, output: spawned.output() };
}

describe('api-types.ts of the client', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'payonce-api-types-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('is what the OpenAPI document says now', async () => {
    expect(await check(committed)).toEqual({ code: 0, output: '' });
  });

  it('is held against it line by line', async () => {
    const text = readFileSync(committed, 'utf8');
    const other = join(directory, 'api-types.ts');
    const changed = text.replace('readonly amount_captured: number;', 'readonly amount_caught: number;');
    expect(changed).not.toBe(text);
    writeFileSync(other, changed);

    const { code, output } = await check(other);
    expect(code).toBe(1);
    expect(output).toContain('npm run client:types');
  });
});
