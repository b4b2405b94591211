import { existsSync, readdirSync, readFileSync } from 'node:fs';

const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', import.meta.url), 'utf8')).compilerOptions;

// Tests run as CommonJS: SWC transforms our files and those packages that are ES modules. The others load as they come.
const swc = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'commonjs' },
    sourceMaps: 'inline',
  },
];

/** Names of the installed packages that are ES modules. */
function esModules() {
  const folders = (parent) =>
    readdirSync(new URL(parent, import.meta.url)).filter((name) => !name.startsWith('.'));
  const names = folders('node_modules').flatMap((name) =>
    name.startsWith('@') ? folders(`node_modules/${name}`).map((each) => `${name}/${each}`) : [name],
  );
  return names.filter((name) => {
    const file = new URL(`node_modules/${name}/package.json`, import.meta.url);
    return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).type === 'module';
  });
}

const base = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/measured.environment.cjs',
  cacheDirectory: '<rootDir>/.cache/jest',
  // An interrupted run of Stryker leaves copies of the packages and the specs there.
  modulePathIgnorePatterns: ['<rootDir>/.cache/'],
  transform: { '^.+\\.(t|j|mj)s$': swc },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(?:${esModules().join('|')})/).+\\.js$`],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The packages of the workspace from their sources: what tsconfig.json has under paths.
    ...Object.fromEntries(Object.entries(paths).map(([name, [file]]) => [`^${name}$`, `<rootDir>/${file}`])),
  },
};

/** Specs below test/ that start neither a database nor a process. */
const inProcess = [
  'api/(bad-input|limits|openapi|ops|payouts|request-fingerprints|surface)',
  'chaos/verdict',
  'contracts/[\\w-]+',
  'database/statement',
  'docs',
  'idempotency/factory/memory',
  'psp/[\\w-]+',
  'simulator/(?!process)[\\w-]+',
  'support/table-rules',
  'words',
];
const inProcessPattern = `/test/(${inProcess.join('|')})\\.spec\\.ts$`;

const withPostgres = {
  ...base,
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

// `npm run check` plays the first two, `npm test` the first three, `npm run proofs` the last one; see CONTRIBUTING.md.
export default {
  projects: [
    { ...base, displayName: 'pure', testMatch: ['<rootDir>/{src,packages/*/src,demo,bench}/**/*.spec.ts'] },
    { ...base, displayName: 'in-process', testRegex: [inProcessPattern] },
    {
      ...withPostgres,
      displayName: 'real',
      testMatch: ['<rootDir>/test/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', inProcessPattern],
    },
    { ...withPostgres, displayName: 'proofs', testMatch: ['<rootDir>/test/**/*.proof.ts'] },
  ],
  maxWorkers: 4,
  testSequencer: '<rootDir>/test/support/slow-first.sequencer.mjs',
  testTimeout: 180_000,
  reporters: ['default', '<rootDir>/test/support/closing-line.reporter.mjs'],
};
