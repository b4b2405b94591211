import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** `npm run new -- psp acme`, in a copy of the checkout: what it writes compiles, and its specs say what is missing. */
const root = resolve(__dirname, '..');
let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'payonce-new-'));
  const git = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const tracked = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 16_000_000 });
  for (const file of tracked.trim().split('\n')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const run = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
};

it('refuses a name that is none', () => {
  expect(run('new.mjs', 'psp', 'Acme Pay').status).toBe(2);
});

it('writes a PSP that compiles, and specs that fail for what it does not do yet', () => {
  const written = run('new.mjs', 'psp', 'acme');
  expect(written).toMatchObject({ status: 0 });
  expect(readFileSync(join(copy, 'src/psp/registry.ts'), 'utf8')).toContain('acmeAdapter,');
  expect(run('node_modules/typescript/bin/tsc', '--noEmit')).toEqual({ status: 0, output: '' });
  const specs = run('node_modules/jest/bin/jest.js', 'src/psp/acme', 'test/contracts/acme.spec.ts');
  expect(specs.status).toBe(1);
  const [, passed, failed] = /^(\d+) passed, (\d+) failed/m.exec(specs.output)!;
  // Doubt is doubt from the first line on; nothing is done yet.
  expect(Number(passed)).toBeGreaterThan(20);
  expect(Number(failed)).toBeGreaterThan(20);
  expect(run('new.mjs', 'psp', 'acme')).toMatchObject({ status: 1 });
});
