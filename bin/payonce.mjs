#!/usr/bin/env node
// `npx payonce …` from a checkout. The command itself is src/payonce.ts; where it has not been built
// yet, it is built first, quietly, so that the first command a newcomer types works.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const entry = new URL('../dist/src/payonce.js', import.meta.url);
if (!existsSync(entry)) {
  const cwd = new URL('..', import.meta.url);
  const built = spawnSync('npm', ['run', '--silent', 'build'], { cwd, stdio: ['ignore', 2, 2] });
  if (built.status !== 0) {
    process.stderr.write('payonce: the build failed, see above\n');
    process.exit(1);
  }
}
await import(entry.href);
