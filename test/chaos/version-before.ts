import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');
const BUILD_TIMEOUT_MS = 300_000;
const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** Reasons why the commit before cannot run beside this one: there is none, or migrations since that it cannot work with. */
export function whyNotBeside(): string[] {
  try {
    git('rev-parse', '--verify', 'HEAD~1');
  } catch {
    return ['this clone has no commit before'];
  }
  const added = git('diff', '--name-only', '--diff-filter=A', 'HEAD~1', '--', 'migrations').split('\n');
  return added.filter((file) => /\/\d{4}-/.test(file) && !/-beside-\d{4}\.ts$/.test(file));
}

/** Builds the commit before, with the packages of this one. @returns its folder, which is removed by `drop` */
export function buildVersionBefore(): { readonly folder: string; readonly drop: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'payonce-before-'));
  const sh = (command: string, cwd: string) =>
    execFileSync('bash', ['-o', 'pipefail', '-c', command], { cwd, timeout: BUILD_TIMEOUT_MS });
  sh(`git archive HEAD~1 | tar -x -C '${folder}'`, root);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  sh('npm run --silent build', folder);
  return { folder, drop: () => rmSync(folder, { recursive: true }) };
}
