/**
 * The half of a package that is loaded with `require`, in `dist/cjs`, run in its folder before it is packed. Node 20.19 could
 * load the other half too; TypeScript with `module: node16` could not, and older bundlers neither.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const options = {
  module: 'commonjs',
  moduleResolution: 'bundler',
  composite: false,
  incremental: false,
  declaration: true,
  tsBuildInfoFile: null,
  outDir: 'dist/cjs',
};
rmSync('dist/cjs', { recursive: true, force: true });
const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
const { status } = spawnSync(process.execPath, [tsc, '-p', '.', ...flags], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
