import { callOf, routeOf } from '../../test/support/notified-routes.js';
import { differenceOf, hasAgreed, pspWordOf } from './psp-word.js';

const asked = { amount: 1_299, currency: 'EUR', psp: 'stripe' };
const yes = (more: object = {}) =>
  callOf(2, 'succeeded', { kind: 'lookup', response: { psp_reference: 'pi_1', ...more } });

it('is the last answer of the PSP that says anything of what became of the operation', () => {
  const stated = callOf(4, 'succeeded', { kind: 'notice', request: { stated_by: 'operator:ada' } });
  const silent = [callOf(3, 'unknown'), callOf(3, null), callOf(3, 'not_sent'), callOf(3, 'throttled')];
  for (const none of [...silent, stated]) {
    expect(pspWordOf(routeOf([none]))).toBeNull();
    expect(pspWordOf(routeOf([yes(), none]))).toMatchObject({ attempt: 2, kind: 'lookup' });
  }
});

it('tells the money, the ids with their pages, the code that is no outcome, and the message', () => {
  const response = {
    psp_references: ['pi_1', 'pi_2'],
    money: { amount: 1_399, currency: 'EUR' },
    message: 'Two of them',
  };
  const word = callOf(1, 'conflict', { pspCode: 'money_differs', response });
  expect(pspWordOf(routeOf([word]), (id) => (id === 'pi_1' ? 'https://psp/pi_1' : null))).toMatchObject({
    outcome: 'conflict',
    code: 'money_differs',
    message: 'Two of them',
    money: { amount: 1_399, currency: 'EUR' },
    objects: [
      { id: 'pi_1', url: 'https://psp/pi_1' },
      { id: 'pi_2', url: null },
    ],
  });
  expect(pspWordOf(routeOf([callOf(1, 'canceled', { pspCode: 'canceled' })]))).toMatchObject({
    code: null,
    message: null,
    money: null,
    objects: [],
  });
});

it.each([
  ['nothing, where nothing is said', [callOf(1, 'unknown')], null],
  ['nothing, where it is what was asked for', [yes({ money: { amount: 1_299, currency: 'EUR' } })], null],
  ['nothing, where the answer names no money', [yes()], null],
  [
    'another amount',
    [yes({ money: { amount: 1_399, currency: 'EUR' } })],
    '12.99 EUR was asked for; stripe says 13.99 EUR (pi_1).',
  ],
  [
    'another currency',
    [yes({ psp_reference: undefined, money: { amount: 1_299, currency: 'USD' } })],
    '12.99 EUR was asked for; stripe says 12.99 USD.',
  ],
  [
    'several objects',
    [yes({ psp_references: ['pi_1', 'pi_2'] })],
    'One was asked for; stripe says that there are 2: pi_1, pi_2.',
  ],
  [
    'what it said before',
    [
      callOf(1, 'conflict', { response: { money: { amount: 1_399, currency: 'EUR' } } }),
      yes({ money: { amount: 1_299, currency: 'EUR' } }),
    ],
    'stripe said 13.99 EUR before, and last that it did what was asked for: only a person can tell what is there.',
  ],
  [
    'how many it said there were before',
    [callOf(1, 'conflict', { response: { psp_references: ['pi_1', 'pi_2'] } }), yes()],
    'stripe said that there are 2 before, and last that it did what was asked for: only a person can tell what is there.',
  ],
  [
    'what it said before it knew nothing',
    [
      callOf(1, 'conflict', { response: { money: { amount: 1_399, currency: 'EUR' } } }),
      callOf(2, 'not_found', { kind: 'lookup' }),
    ],
    'stripe said 13.99 EUR before, and last not found: only a person can tell what is there.',
  ],
])('differs in %s', (_what, attempts, sentence) => {
  expect(differenceOf(routeOf(attempts, asked))).toBe(sentence);
});

it.each([
  [true, 'succeeded'],
  [false, 'not_found'],
  [false, 'declined'],
  [false, 'pending'],
] as const)('has agreed (%s) where the last of it is %s', (agreed, outcome) => {
  const other = callOf(1, 'conflict', { response: { money: { amount: 1_399, currency: 'EUR' } } });
  const last = callOf(2, outcome, { kind: 'lookup' });
  expect(hasAgreed(routeOf([other, last], asked))).toBe(agreed);
  expect(hasAgreed(routeOf([last], asked))).toBe(false);
});

it('names no amount before where it was the number of objects that differed', () => {
  const money = { amount: 1_299, currency: 'EUR' };
  const two = callOf(1, 'conflict', { response: { psp_references: ['pi_1', 'pi_2'], money } });
  expect(pspWordOf(routeOf([two, yes()], asked))!.before).toMatchObject({ money: null, objects: 2 });
});
