import { LEASE_MS } from '../../../test/support/arbitrary-history.js';
import { callOf, routeOf } from '../../../test/support/notified-routes.js';
import { type Capabilities, OTHER_PARAMETERS } from '../../psp/contract.js';
import { assessRoute } from './assess-route.js';
import { type PspAttempt } from '../route.entity.js';

const can: Capabilities = {
  operations: ['charge'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 24 * 60 * 60_000, replays: 'all' },
  lookup: null,
  cancel: null,
  captures: 'one',
};

describe('a conflict about our own key', () => {
  const ofKey = callOf(1, 'conflict', { pspCode: OTHER_PARAMETERS });
  const found = (attempt: number, id: string, more: Partial<PspAttempt> = {}) =>
    callOf(attempt, 'succeeded', { kind: 'lookup', response: { psp_reference: id }, ...more });
  const flight = { leaseMs: LEASE_MS };
  const open = { verdict: 'open', why: 'conflict' };

  it('ends when the PSP itself shows one object under our name with our money', () => {
    expect(assessRoute(routeOf([ofKey]), can, flight)).toMatchObject(open);
    expect(assessRoute(routeOf([ofKey, found(2, 'pi_1')]), can, flight)).toMatchObject({
      verdict: 'effective',
    });
    const notice = found(2, 'pi_1', { kind: 'notice', request: { about: 'operation', named: true } });
    expect(assessRoute(routeOf([ofKey, notice]), can, flight)).toMatchObject({ verdict: 'effective' });
  });

  it('does not end with two objects, other money, or what carries no name of ours', () => {
    const two = [ofKey, found(2, 'pi_1'), found(3, 'pi_2')];
    expect(assessRoute(routeOf(two), can, flight)).toMatchObject(open);
    const otherMoney = callOf(2, 'conflict', { kind: 'lookup', pspCode: 'money_differs' });
    expect(assessRoute(routeOf([ofKey, otherMoney, found(3, 'pi_1')]), can, flight)).toMatchObject(open);
    const nameless = found(2, 'pi_1', { kind: 'notice', request: { about: 'operation' } });
    expect(assessRoute(routeOf([ofKey, nameless]), can, flight)).toMatchObject(open);
  });
});
