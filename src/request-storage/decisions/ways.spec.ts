import { HOUR, requestOf, START } from '../../../test/support/arbitrary-history.js';
import { type Capabilities } from '../../psp/contract.js';
import { LOCK_TOO_OLD } from '../../psp/network-error.js';
import { type PspAttempt, type Route } from '../route.entity.js';
import { WINDOW_MARGIN_MS } from './assess-route.js';
import { mayCancel, mayHandInAgain, mayResend, waysToAsk } from './ways.js';

const can: Capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * HOUR, replays: 'all' },
  lookup: null,
  cancel: null,
  captures: 'one',
  completion: { repeatable: true },
};

const call = (kind: PspAttempt['kind'], afterMs: number, more: Partial<PspAttempt> = {}): PspAttempt =>
  ({ kind, startedAt: new Date(START + afterMs), outcome: 'unknown', pspCode: null, ...more }) as PspAttempt;
const skipped = { outcome: 'not_sent', pspCode: LOCK_TOO_OLD } as const;
const route = (attempts: readonly PspAttempt[] = [], more: Partial<Route> = {}) => ({
  request: { ...requestOf('first', 1), ...more },
  attempts,
});

/** The last moment at which the key of a first call at `afterMs` counts as known, and the one after it. */
const around = (afterMs: number) => {
  const end = START + afterMs + 24 * HOUR - WINDOW_MARGIN_MS;
  return [new Date(end - 1), new Date(end)] as const;
};

describe('a route is looked up', () => {
  it.each([
    ['nowhere without a lookup', null, 'pi_1', []],
    ['by our reference without an id', 'reference', null, ['lookup']],
    ['by id where the PSP has named one', 'id', 'pi_1', ['lookup']],
    ['by id nowhere else', 'id', null, []],
  ] as const)('%s', (_, by, pspReference, ways) => {
    const lookup = by === null ? null : ({ by, consistency: 'strong', settlesAfterMs: 0 } as const);
    expect(waysToAsk(route([], { pspReference }), { ...can, lookup })).toEqual(ways);
  });
});

describe('the same is sent again', () => {
  it('while the PSP knows the key, counted from the first execute and from no other call', () => {
    const attempts = [call('lookup', -5 * HOUR), call('execute', 0), call('execute', 3 * HOUR)];
    expect(around(0).map((now) => mayResend(route(attempts), can, now))).toEqual([true, false]);
  });

  it.each(['success', 'none'] as const)('never where the PSP replays %s', (replays) => {
    const idempotency = { windowMs: 24 * HOUR, replays };
    expect(mayResend(route([call('execute', 0)]), { ...can, idempotency }, new Date(START))).toBe(false);
  });

  it('never where it says no window', () => {
    const idempotency = { windowMs: null, replays: 'all' } as const;
    expect(mayResend(route([call('execute', 0)]), { ...can, idempotency }, new Date(START))).toBe(false);
  });
});

describe('what the customer did is handed in', () => {
  const now = new Date(START + HOUR);

  it('once at every PSP, and a call that our lock kept back does not count', () => {
    const never = { ...can, completion: { repeatable: false } };
    const attempts = [call('execute', 0), call('complete', 1, skipped)];
    expect(mayHandInAgain(route(attempts), never, now)).toBe(true);
    expect(mayHandInAgain(route([...attempts, call('complete', 2)]), never, now)).toBe(false);
  });

  it('again while the PSP knows the key, counted from the first time', () => {
    const attempts = [call('execute', -9 * HOUR), call('complete', 1, skipped), call('complete', HOUR)];
    expect(around(HOUR).map((at) => mayHandInAgain(route(attempts), can, at))).toEqual([true, false]);
  });

  it.each([
    ['does not say that it may be repeated', { completion: undefined }],
    ['replays successes alone', { idempotency: { windowMs: 24 * HOUR, replays: 'success' } }],
    ['says no window', { idempotency: { windowMs: null, replays: 'all' } }],
  ] as const)('once where the PSP %s', (_, less) => {
    const capabilities = { ...can, ...less } as Capabilities;
    expect(mayHandInAgain(route([call('complete', 0)]), capabilities, now)).toBe(false);
  });
});

it.each([
  ['reference', null, true],
  ['id', 'pi_1', true],
  ['id', null, false],
  [null, 'pi_1', false],
] as const)('a charge is canceled by %s where its id is %s: %s', (cancel, pspReference, may) => {
  expect(mayCancel(route([], { pspReference }), { ...can, cancel })).toBe(may);
});
