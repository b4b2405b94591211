/**
 * `npm run mutants -- --core`: Stryker changes each expression of the pure core and expects a spec beside it to fail. 90 % of the
 * changes caught is meant; a change that survives is a case that no spec tells, or code that nobody needs.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  mutate: [
    'src/core/{lifecycle,money,lease,database-clock}.ts',
    'src/payments/{decide-payment,dispute,orphan}.ts',
    'src/refunds/refund-rules.ts',
    'src/request-storage/decisions/{assess-route,next-step,person-statement,schedule,ways}.ts',
  ],
  testRunner: 'jest',
  jest: { configFile: 'stryker.jest.config.mjs', enableFindRelatedTests: true },
  coverageAnalysis: 'perTest',
  // Tables that are made at the start: each change of one is a run of every spec.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  thresholds: { high: 90, low: 80, break: 70 },
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  tempDirName: '.cache/stryker',
  ignorePatterns: ['/dist', '/.cache', '/console', '/docs', 'packages/*/dist'],
  disableTypeChecks: false,
};
