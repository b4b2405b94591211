import { callOf, routeOf } from '../../../test/support/notified-routes.js';
import { START } from '../../../test/support/arbitrary-history.js';
import { type Capabilities, OTHER_PARAMETERS } from '../../psp/contract.js';
import { type PspAttempt } from '../route.entity.js';
import { refusalOf, wordAgainst } from './person-statement-rules.js';

const MINUTE = 60_000;
const flight = { leaseMs: 20_000 };
const can: Capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * 60 * MINUTE, replays: 'all' },
  lookup: {
    by: 'reference',
    consistency: 'strong',
    settlesAfterMs: MINUTE,
    settlesAfterServerErrorMs: 60 * MINUTE,
  },
  cancel: null,
  captures: 'one',
};
const object = { response: { psp_reference: 'pi_1' } };

/** A statement, "not done" unless told, that saw all of these attempts unless told, ten minutes after the first. */
function refusal(
  attempts: readonly PspAttempt[],
  { isDone = false, overrulesPsp = false, seenAttempt = attempts.length, at = START + 10 * MINUTE } = {},
): string | null {
  return refusalOf(routeOf(attempts), { isDone, seenAttempt, overrulesPsp }, can, flight, new Date(at));
}

it('is refused if a call was made that the person did not see; a notice, or a lookup of the stated id, refuses nothing', () => {
  const seen = [callOf(1, 'unknown')];
  const ask = { stated_reference: 'pi_1' };
  for (const isDone of [true, false]) {
    expect(refusal(seen, { isDone })).toBeNull();
    const retried = [...seen, callOf(2, 'unknown')];
    expect(refusal(retried, { isDone, seenAttempt: 1 })).toContain(
      'Attempt 2 (execute) was made since attempt 1',
    );
    const own = callOf(2, 'conflict', { kind: 'lookup', request: ask });
    expect(refusal([...seen, own], { isDone, seenAttempt: 1 })).toBeNull();
    const notice = callOf(2, 'declined', { kind: 'notice' });
    expect(refusal([...seen, notice], { isDone, seenAttempt: 1 })).toBeNull();
  }
});

it('says nothing of a call that the PSP may still carry out', () => {
  const doubt = [callOf(1, 'unknown')];
  expect(refusal(doubt, { at: START + MINUTE })).toContain('may still carry out');
  expect(refusal(doubt, { at: START + MINUTE + 1 })).toBeNull();
  // Without an end it may be on its way for as long as its sender holds the route.
  const lost = [callOf(1, null)];
  expect(refusal(lost, { at: START + MINUTE + 1 })).toContain('may still');
  expect(refusal(lost, { at: START + MINUTE + flight.leaseMs + 1 })).toBeNull();
  const failed = [callOf(1, 'unknown', { httpStatus: 500 })];
  expect(refusal(failed)).toContain('may still');
  expect(refusal(failed, { at: START + 61 * MINUTE })).toBeNull();
  // An answered call is not on its way, and "done" may be seen at once.
  expect(refusal([callOf(1, 'rejected')], { at: START + 1 })).toBeNull();
  expect(refusal(doubt, { at: START + 1, isDone: true })).toBeNull();
});

it.each<[string, PspAttempt]>([
  ['a success', callOf(2, 'succeeded', { kind: 'lookup', ...object })],
  ['what it has and will decide', callOf(2, 'pending', { kind: 'notice', ...object })],
  [
    'other money than was asked for',
    callOf(2, 'conflict', { kind: 'lookup', pspCode: 'money_differs', ...object }),
  ],
])('contradicts a PSP that has said %s, unless the person overrules it', (_what, said) => {
  const story = [callOf(1, 'unknown'), said];
  expect(refusal(story)).toContain('has said that it did it, or has it (attempt 2: ');
  expect(refusal(story)).toContain('pi_1');
  expect(refusal(story, { overrulesPsp: true })).toBeNull();
  expect(refusal([...story, callOf(3, 'canceled', { kind: 'lookup' })])).toBeNull();
});

it('contradicts a yes also where the PSP says later that it knows nothing, and a no where it is called done', () => {
  const yes = callOf(1, 'succeeded', { kind: 'notice', ...object });
  const nothing = callOf(2, 'not_found', { kind: 'lookup' });
  expect(refusal([yes, nothing])).toContain('attempt 1');
  const against = (attempts: readonly PspAttempt[]) => wordAgainst(routeOf(attempts), true);
  expect(against([yes])).toBeNull();
  expect(against([callOf(1, 'unknown')])).toBeNull();
  expect(against([yes, nothing])).toMatch(/has said that it did not do it \(attempt 2: not_found\)$/);
  // A person's own word is no word of the PSP.
  const stated = callOf(3, 'succeeded', { kind: 'notice', request: { stated_by: 'operator:ada' } });
  expect(against([nothing, stated])).toContain('attempt 2');
  expect(wordAgainst(routeOf([stated]), false)).toBeNull();
});

it('contradicts nothing where the PSP knows our key, and says nothing of an object', () => {
  expect(refusal([callOf(1, 'conflict', { pspCode: OTHER_PARAMETERS })])).toBeNull();
  expect(refusal([callOf(1, 'unknown'), callOf(2, 'not_found', { kind: 'lookup' })])).toBeNull();
});
