#!/usr/bin/env node
/**
 * The scoreboard: what each of these does where Stripe fails in 40 ways, and Payonce beside them. Each is installed from npm
 * into a folder of its own below the system's temporary one, in the versions of `versions.json`.
 *
 *   npm run scoreboard                   all, in some twenty minutes
 *   npm run scoreboard -- medusa         one of them
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '../../..');
const versions = JSON.parse(await readFile(join(here, 'versions.json'), 'utf8'));

/** Target, and the folder of packages that it is run with. */
const ROWS = [
  ['Payonce', 'payonce', null],
  ['stripe-node, a key for each order', 'stripe-node', 'stripe-node'],
  ['stripe-node, no key', 'stripe-node-without-key', 'stripe-node'],
  ['@node-idempotency/nestjs, and a key to Stripe', 'node-idempotency-with-key', 'node-idempotency'],
  ['@node-idempotency/nestjs, no key to Stripe', 'node-idempotency', 'node-idempotency'],
  ["Medusa's provider for Stripe", 'medusa', 'medusa'],
  ["Vendure's plugin for Stripe", 'vendure', 'vendure'],
];
const COLUMNS = ['once', 'none', 'unsettled', 'twice', 'lost', 'hidden', 'unmet', 'untried'];

const [only] = process.argv.slice(2);
const chosen = ROWS.filter(([, name]) => only === undefined || name === only);
if (chosen.length === 0) throw new Error(`one of ${ROWS.map(([, name]) => name).join(', ')}`);

const table = [];
const broken = [];
for (const [title, name, packages] of chosen) {
  process.stderr.write(`${title} …\n`);
  const target = packages === null ? join(root, 'dist/demo/conformance.js') : await installed(name, packages);
  const outcomes = JSON.parse(
    await run('node', [join(here, '../dist/main.js'), '--target', target, '--json']),
  );
  const counts = COLUMNS.map((verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length);
  table.push([title, ...counts]);
  for (const { operation, trial, verdict } of outcomes) {
    if (['twice', 'lost', 'hidden'].includes(verdict))
      broken.push(`- ${title}: ${operation}, ${trial}: ${verdict}`);
  }
}
const lines = [['', ...COLUMNS], ['---', ...COLUMNS.map(() => '---:')], ...table];
process.stdout.write(
  `${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n\n${broken.join('\n')}\n`,
);

/** Installs the packages, and returns the module beside them. */
async function installed(name, packages) {
  const folder = join(tmpdir(), 'payonce-scoreboard', packages);
  await mkdir(folder, { recursive: true });
  const manifest = { private: true, type: 'module', dependencies: versions[packages] };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'], folder);
  await cp(here, folder, { recursive: true, filter: (path) => path === here || path.endsWith('.mjs') });
  return join(folder, `${name}.mjs`);
}

/** Runs a command and returns what it wrote. The kit ends with 1 where something was broken. */
function run(command, args, cwd = root) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    let written = '';
    child.stdout.on('data', (chunk) => (written += chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 || code === 1 ? resolve(written) : reject(new Error(`${command}: ${code}`)),
    );
  });
}
