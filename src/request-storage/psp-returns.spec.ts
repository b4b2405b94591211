import { callOf, routeOf } from '../../test/support/notified-routes.js';
import { type Outcome } from '../psp/contract.js';
import { type AnsweredCall } from './decisions/attempt.js';
import { PspReturns } from './psp-returns.js';

const answered = (outcome: Outcome) =>
  ({ call: { request: routeOf([callOf(1, null)]).request }, answer: { outcome } }) as unknown as AnsweredCall;

/** An announcer whose statements change no row, because another process announced the return a moment ago. */
function announcer() {
  let ms = 0;
  const query = jest.fn().mockResolvedValue({ rows: [] });
  const returns = new PspReturns({ query }, { monotonicMs: () => ms });
  const hear = (...outcomes: readonly Outcome[]) =>
    outcomes.forEach((outcome) => returns.heard(answered(outcome)));
  return { hear, query, pass: (by: number) => (ms += by) };
}

it('announces a return after a failure only, and by an answer only', () => {
  const { hear, query } = announcer();
  hear('succeeded', 'unknown', 'not_sent', 'throttled');
  expect(query).not.toHaveBeenCalled();
  hear('declined');
  expect(query).toHaveBeenCalledTimes(1);
});

it('asks the database no more than once in five seconds, however much of the traffic fails', () => {
  const { hear, query, pass } = announcer();
  for (let n = 0; n < 100; n++) hear('unknown', 'succeeded');
  expect(query).toHaveBeenCalledTimes(1);
  pass(4_999);
  hear('unknown', 'succeeded');
  expect(query).toHaveBeenCalledTimes(1);
  pass(1);
  hear('succeeded');
  expect(query).toHaveBeenCalledTimes(2);
});
