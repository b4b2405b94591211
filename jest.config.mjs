import { readFileSync } from 'node:fs';

const { paths } = JSON.parse(readFileSync(new URL('tsconfig.json', import.meta.url), 'utf8')).compilerOptions;

// Tests run as CommonJS (SWC transforms everything, node_modules too): ESM-only packages and
// packages that require them then load alike, without experimental flags.
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

const base = {
  rootDir: import.meta.dirname,
  testEnvironment: '<rootDir>/test/support/measured.environment.cjs',
  cacheDirectory: '<rootDir>/.cache/jest',
  transform: { '^.+\\.(t|j|mj)s$': swc },
  // Large, and CommonJS as they come.
  transformIgnorePatterns: ['/node_modules/(typescript|axe-core|playwright-core)/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The packages of the workspace from their sources: what tsconfig.json has under paths.
    ...Object.fromEntries(Object.entries(paths).map(([name, [file]]) => [`^${name}$`, `<rootDir>/${file}`])),
  },
};

/** Specs below test/ that start neither a database nor a process. */
const inProcess = [
  'api/(bad-input|limits|openapi|ops|payouts|request-fingerprints|surface)',
  'contracts/[\\w-]+',
  'database/statement',
  'docs',
  'idempotency/factory/memory',
  'psp/[\\w-]+',
  'simulator/(?!process)[\\w-]+',
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
  testTimeout: 60_000,
  reporters: ['default', '<rootDir>/test/support/closing-line.reporter.mjs'],
};
