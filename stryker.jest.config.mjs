import config from './jest.config.mjs';

/** The specs beside the code, for Stryker. */
const { testMatch, displayName: _, testEnvironment: __, ...pure } = config.projects[0];
export default {
  ...pure,
  testMatch,
  testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
  testTimeout: 60_000,
};
