/**
 * `npm run test:near [-- commit]`: the specs that stand nearest to what has changed since the commit (HEAD unless told), and to
 * what is not committed. Those without a database are found by their imports, the others by the folder that changed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';

process.chdir(new URL('..', import.meta.url).pathname);
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');

/** Folders whose specs are not those of the same name below test/: beginnings of paths there. */
const NEAR = {
  'src/commands': ['cli'],
  'src/config': ['service/start-and-stop', 'wiring'],
  'src/docs': ['docs'],
  'src/http': ['api'],
  'src/monitoring': ['monitoring', 'api/monitoring', 'service/traces-and-log'],
  'src/ops': ['api/ops'],
  'src/psp': ['psp/', 'contracts'],
  migrations: ['database'],
  proto: ['grpc'],
  'packages/client': ['client'],
  'packages/idempotency': ['idempotency/factory'],
  'packages/simulator': ['simulator'],
  docs: ['docs'],
};

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
const changed = [
  ...new Set([
    ...git('diff', '--name-only', process.argv[2] ?? 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]),
].filter((file) => existsSync(file));
const isSpec = (file) => /\.(spec|proof)\.ts$/.test(file);
const isCode = (file) => /^(src|packages|migrations|demo|bench|test)\/.*\.ts$/.test(file);

const folders = new Set(changed.map((file) => /^(?:(?:src|packages)\/)?[^/]+(?=\/)/.exec(file)?.[0]));
const beginnings = [...folders].flatMap((folder) =>
  folder === undefined ? [] : (NEAR[folder] ?? (folder.startsWith('src/') ? [`${folder.slice(4)}/`] : [])),
);
const byFolder = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.spec.ts') && beginnings.some((beginning) => file.startsWith(beginning)))
  .map((file) => `test/${file}`);
const code = changed.filter((file) => isCode(file) && !isSpec(file));
const byImports =
  code.length === 0
    ? []
    : execFileSync(
        process.execPath,
        [jest, '--listTests', '--selectProjects', 'pure', 'in-process', '--findRelatedTests', ...code],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
      )
        .split('\n')
        .filter((line) => isSpec(line));

const specs = [...new Set([...changed.filter(isSpec), ...byFolder, ...byImports])];
console.log(`${changed.length} files changed, ${specs.length} spec files are near`);
const run = (...command) => spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1;
process.exitCode = specs.length === 0 ? 0 : run('build.mjs') || run(jest, '--runTestsByPath', ...specs);
