import { stuckReasons } from '../request-storage/decisions/stuck-reason.js';
import { stuckAdvice } from './stuck-advice.js';

const ways: Readonly<Record<string, string>> = {
  requires_action: 'other',
  'the PSP holds something else than was asked for': 'state',
  'the PSP knows this key with other parameters': 'state',
  'the PSP answered with its id of another operation': 'state',
  'another account is configured under the name of this PSP': 'other',
  'commits may be lost': 'other',
};

it.each(stuckReasons)('says of %s what to do, in a sentence that is read in seconds', (reason) => {
  const { say, way } = stuckAdvice(reason, 'stripe');
  expect(say.split(' ').length).toBeLessThanOrEqual(30);
  expect(way).toBe(ways[reason] ?? 'ask');
});

it('says something of its own of each reason', () => {
  expect(new Set(stuckReasons.map((reason) => stuckAdvice(reason, 'stripe').say)).size).toBe(
    stuckReasons.length,
  );
});

it('says to give nothing back at once where the PSP says by now what was asked for', () => {
  const reason = 'the PSP holds something else than was asked for';
  const { say } = stuckAdvice(reason, 'stripe', true);
  expect(say).toMatch(/^Look in the dashboard of stripe what is there/);
  expect(stuckAdvice('doubt', 'stripe', true)).toEqual(stuckAdvice('doubt', 'stripe'));
});

it.each([null, 'a reason of an older version'])('takes %s as a doubt', (reason) => {
  expect(stuckAdvice(reason, 'adyen')).toEqual(stuckAdvice('doubt', 'adyen'));
});
