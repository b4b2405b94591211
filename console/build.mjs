/** Builds the console into dist/console, unless what is there was built from the same files. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const built = join(root, 'dist/console/.built-from');

const sources = readdirSync(join(root, 'console'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .concat(join(root, 'package-lock.json'))
  .toSorted();
const hash = createHash('sha256');
for (const file of sources) hash.update(file).update(readFileSync(file));
const digest = hash.digest('hex');

if (!existsSync(built) || readFileSync(built, 'utf8') !== digest) {
  console.log('building the console …');
  const { build } = await import('vite');
  await build({
    root: join(root, 'console'),
    base: '/ops/',
    configFile: false,
    // Below it stands a word on "use client" for each file of the component library.
    logLevel: 'error',
    publicDir: false,
    build: {
      outDir: join(root, 'dist/console'),
      emptyOutDir: true,
      target: 'es2022',
      // Data URLs of styles are allowed no more than other origins are.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_500,
    },
  });
  writeFileSync(built, digest);
}
