import { readdirSync, readFileSync } from 'node:fs';

/** Entities and views are plain data under a class that TypeORM and OpenAPI read: spreading one loses nothing. */
const dataClasses = readdirSync('src', { recursive: true })
  .filter((file) => /\.(entity|view)\.ts$/.test(file))
  .flatMap((file) => [...readFileSync(`src/${file}`, 'utf8').matchAll(/^export (?:abstract )?class (\w+)/gm)])
  .map(([, name]) => name);

/** @type {import('oxlint').OxlintConfig} */
export default {
  plugins: ['typescript', 'import', 'promise', 'node', 'unicorn'],
  categories: {
    correctness: 'error',
    suspicious: 'error',
  },
  options: {
    typeAware: true,
  },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: true,
      },
    ],
    'typescript/no-explicit-any': 'error',
    'typescript/no-misused-spread': [
      'error',
      {
        allow: ['Config', 'ApiLimits', 'DeliverLimits', 'OperationTools', ...dataClasses],
      },
    ],
    'typescript/no-extraneous-class': [
      'error',
      {
        allowWithDecorator: true,
      },
    ],
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default-member': 'off',
    'no-await-in-loop': 'off',
    'no-shadow': 'off',
    'typescript/consistent-return': 'off',
    'no-console': 'off',
    eqeqeq: 'error',
  },
  ignorePatterns: ['dist', 'node_modules', 'coverage'],
};
