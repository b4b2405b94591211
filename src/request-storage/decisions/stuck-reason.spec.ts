import { readFileSync } from 'node:fs';
import { callOf } from '../../../test/support/notified-routes.js';
import { anchorOf } from '../../docs/markdown.js';
import { OTHER_PARAMETERS } from '../../psp/contract.js';
import { conflictOf, ID_OF_ANOTHER_OPERATION, stuckReasons } from './stuck-reason.js';

it('has a section of the runbook for each reason, by the name that the console links to', () => {
  const headings = [...readFileSync('docs/runbooks/stuck-payment.md', 'utf8').matchAll(/^### (.+)$/gm)].map(
    ([, heading]) => anchorOf(heading!),
  );
  expect(stuckReasons.map((reason) => anchorOf(reason.replaceAll('_', ' ')))).toEqual(
    expect.arrayContaining(headings),
  );
  expect(headings).toHaveLength(stuckReasons.length);
});

it.each([
  [OTHER_PARAMETERS, 'the PSP knows this key with other parameters'],
  [ID_OF_ANOTHER_OPERATION, 'the PSP answered with its id of another operation'],
  ['money_differs', 'the PSP holds something else than was asked for'],
  [null, 'the PSP holds something else than was asked for'],
])('calls a conflict %s "%s"', (pspCode, reason) => {
  expect(conflictOf(callOf(1, 'conflict', { pspCode }))).toBe(reason);
  expect(stuckReasons).toContain(reason);
});
