import config from './jest.config.mjs';

/**
 * For Stryker: the specs beside the code that it changes. Others tell its mistakes too, but each of them is loaded for
 * each change of what it imports, and money and lifecycles are imported everywhere.
 */
const { testMatch: _, displayName: __, testEnvironment: ___, ...pure } = config.projects[0];
export default {
  ...pure,
  testMatch: [
    '<rootDir>/src/core/{lifecycle,money,lease,database-clock}.spec.ts',
    '<rootDir>/src/payments/{decide-payment,orphan,payment-disputes}.spec.ts',
    '<rootDir>/src/refunds/refund-rules.spec.ts',
    '<rootDir>/src/request-storage/decisions/*.spec.ts',
  ],
  setupFiles: [...(pure.setupFiles ?? []), '<rootDir>/test/support/for-stryker.cjs'],
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
  testTimeout: 60_000,
};
