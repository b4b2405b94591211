/**
 * `npm run build`: compiles, packs and builds the console, and of each only the parts that changed. SWC compiles file by file and
 * checks no types; `npm run types` does. The packages are compiled by tsc, because their types are published with them.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform, version } from '@swc/core';

const startedAt = performance.now();
const root = fileURLToPath(new URL('.', import.meta.url));
process.chdir(root);
refuseOldNode();

/** Folders that are compiled to dist/; of the tests, because processes of theirs run from there. The image has two alone. */
const FOLDERS = ['src', 'migrations', 'demo', 'bench', 'test'];

const options = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    keepClassNames: true,
  },
  module: { type: 'nodenext' },
  sourceMaps: true,
};

const sources = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('.proof.ts')),
);
const outputOf = (file) => join('dist', file.replace(/\.ts$/, '.js'));
const modifiedAt = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);

const [compiled] = await Promise.all([
  compile(),
  run(
    'typescript/bin/tsc',
    '-b',
    'packages/client',
    'packages/conformance',
    'packages/idempotency',
    'packages/simulator',
  ),
]);
const packed = 'dist/src/main.cjs';
const newest = Math.max(...sources.map((file) => modifiedAt(outputOf(file))), modifiedAt('bundle.mjs'));
if (modifiedAt(packed) < newest) {
  console.log('packing the service …');
  await import('./bundle.mjs');
}
await import('./console/build.mjs');
console.log(`built: ${compiled} of ${sources.length} files compiled, ${seconds()} s`);

/** Refuses a Node older than package.json asks for. Every command builds first; later an older Node ends without a reason. */
function refuseOldNode() {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const needed = /\d+\.\d+/.exec(engines.node)[0];
  const [[major, minor], [least, lesser]] = [process.versions.node, needed].map((one) =>
    one.split('.').map(Number),
  );
  if (major > least || (major === least && minor >= lesser)) return;
  console.error(
    `Payonce needs Node ${needed} or newer, and this is ${process.version}: https://nodejs.org/en/download`,
  );
  process.exit(1);
}

/** @returns how many files had changed */
async function compile() {
  const stamp = 'dist/.compiled-by';
  const compiler = createHash('sha256').update(JSON.stringify({ options, version })).digest('hex');
  const isSameCompiler = existsSync(stamp) && readFileSync(stamp, 'utf8') === compiler;
  const changed = sources.filter((file) => !isSameCompiler || modifiedAt(outputOf(file)) < modifiedAt(file));
  removeOrphans();
  if (changed.length > 0) console.log(`compiling ${changed.length} files …`);
  await Promise.all(changed.map(compileFile));
  mkdirSync('dist', { recursive: true });
  writeFileSync(stamp, compiler);
  return changed.length;
}

async function compileFile(file) {
  const output = outputOf(file);
  const { code, map } = await transform(readFileSync(file, 'utf8'), {
    ...options,
    filename: join(root, file),
    swcrc: false,
  });
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(`${output}.map`, map);
  writeFileSync(output, `${code}//# sourceMappingURL=${output.split('/').at(-1)}.map\n`);
}

/** Output whose source is gone: an entity or a migration that was deleted would be found there. */
function removeOrphans() {
  const outputs = new Set(sources.map(outputOf));
  for (const folder of FOLDERS.map((name) => join('dist', name)).filter((name) => existsSync(name))) {
    for (const name of readdirSync(folder, { recursive: true })) {
      const file = join(folder, name);
      if (file.endsWith('.js') && !outputs.has(file))
        for (const each of [file, `${file}.map`]) rmSync(each, { force: true });
    }
  }
}

/** Runs a command of a package. */
function run(name, ...args) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [createRequire(import.meta.url).resolve(name), ...args], {
      stdio: 'inherit',
    });
    child.once('error', failed);
    child.once('exit', (code) => (code === 0 ? done() : process.exit(1)));
  });
}

function seconds() {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}
