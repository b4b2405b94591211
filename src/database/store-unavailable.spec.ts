import { Problem } from '../core/problem.js';
import { isOutage } from './store-unavailable.js';

it.each<[string, unknown, boolean]>([
  ['no word of the server', new Error('Connection terminated unexpectedly'), true],
  ['a server that is going away', Object.assign(new Error('x'), { code: '57P01' }), true],
  ['a rule of the database', Object.assign(new Error('x'), { code: '23505' }), false],
  ['a value that is no text', new TypeError('Do not know how to serialize a BigInt'), false],
  ['a time that is none', new RangeError('Invalid time value'), false],
  ['an answer of ours', new Problem('not_found', 'no such payment'), false],
])('%s', (_what, error, expected) => {
  expect(isOutage(error)).toBe(expected);
});
