import { requestOf } from '../../test/support/arbitrary-history.js';
import { paymentFixture } from '../../test/support/fixtures.js';
import { type Answer } from '../psp/contract.js';
import { type StepResult } from '../request-storage/decisions/advance.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type OrphanEffect, type PspAttempt, type Route } from '../request-storage/route.entity.js';
import { isVouchedFor, orphanAfter, reverseCompensation, stateOfOrphan, undoable } from './orphan.js';
import { type Payment } from './payment.entity.js';
import { type PaymentState } from './payment-state.js';

const payment = paymentFixture({
  id: '01900000-0000-7000-8000-000000000002',
  captureMode: 'automatic',
});
const charge = entityKey.charge(payment.id);

const found = {
  merchantId: payment.merchantId,
  entityKey: charge,
  route: 2,
  object: 1,
  attempt: 1,
  operation: 'charge',
  psp: 'first',
  pspReference: 'pi_2',
  status: 'open',
} as unknown as OrphanEffect;

const route = (number: number, more: Partial<Route> = {}, attempts: readonly PspAttempt[] = []) => ({
  request: { ...requestOf('first', number), ...more },
  attempts,
});

/** The charge with two routes, and the compensation of the second one with this verdict. */
function stateWith(verdict?: Route['verdict']): PaymentState {
  const histories = new Map([[charge, { routes: [route(1), route(2)] }]]);
  const compensation = entityKey.orphan(payment.id, found.route, found.object);
  if (verdict) histories.set(compensation, { routes: [route(1), route(2, { verdict })] });
  return { payment, histories } as unknown as PaymentState;
}

describe('an orphan effect', () => {
  it('is undone at its own route, and again after a try that the PSP refused', () => {
    for (const verdict of [undefined, 'open', 'ruled_out'] as const) {
      expect(undoable(stateWith(verdict), found)?.request.route).toBe(2);
    }
  });

  it.each<[string, PaymentState, Partial<OrphanEffect>]>([
    ['of a capture', stateWith(), { operation: 'capture' }],
    ['of another operation', stateWith(), { entityKey: entityKey.capture(payment.id, 'a') }],
    ['without an id at its PSP', stateWith(), { pspReference: null }],
    ['of a route that is not there', stateWith(), { route: 3 }],
    ['that was given back once', stateWith('effective'), {}],
  ])('%s is for a person', (_, state, more) => {
    expect(undoable(state, { ...found, ...more })).toBeNull();
  });

  const attempt = (more: Partial<PspAttempt>) =>
    ({
      attempt: 1,
      kind: 'execute',
      outcome: 'succeeded',
      request: {},
      response: { psp_reference: 'pi_2' },
      ...more,
    }) as PspAttempt;

  it.each<[boolean, string, Partial<PspAttempt>]>([
    [true, 'the answer to our request', {}],
    [true, 'the answer to what the customer did', { kind: 'complete' }],
    [true, 'a notification under our name', { kind: 'notice', request: { named: true } }],
    [false, 'a notification under no name of ours', { kind: 'notice' }],
    [false, 'a lookup', { kind: 'lookup', request: { named: true } }],
    [false, 'an answer that is no yes', { outcome: 'unknown' }],
    [false, 'a yes about another object', { response: { psp_reference: 'pi_3' } }],
    [false, 'a yes about no object', { response: null }],
    [false, 'another call', { attempt: 2 }],
  ])('is vouched for (%s) by %s, and always by a person', (isVouched, _, more) => {
    const history = route(2, {}, [attempt(more)]);
    expect(isVouchedFor(history, found)).toBe(isVouched);
    expect(isVouchedFor(history, { ...found, status: 'approved' })).toBe(true);
  });

  it.each<[Answer['outcome'], ReturnType<typeof stateOfOrphan>]>([
    ['succeeded', 'there'],
    ['canceled', 'undone'],
    ['unknown', 'later'],
    ['throttled', 'later'],
    ['not_sent', 'later'],
    ['pending', 'later'],
    ['requires_action', 'later'],
    ['declined', 'person'],
    ['rejected', 'person'],
    ['not_found', 'person'],
    ['conflict', 'person'],
  ])('whose PSP answers %s is %s', (outcome, state) => {
    expect(stateOfOrphan({ outcome })).toBe(state);
  });

  it.each([
    ['finish', 'open', 'compensated'],
    ['fail', 'open', 'failed'],
    ['wait', 'open', null],
    ['finish', 'effective', null],
    ['fail', 'ruled_out', null],
  ] as const)('after %s of a compensation that was %s is %s', (step, verdict, status) => {
    const history = { entityKey: entityKey.orphan(payment.id, 2), routes: [] };
    const changes = orphanAfter(stateWith(verdict), { history, step: { do: step } } as unknown as StepResult);
    const key = { merchantId: payment.merchantId, entityKey: charge, route: 2, object: 1 };
    expect(changes).toMatchObject(
      status === null ? [] : [{ key, set: { status }, guard: { status: 'compensating' } }],
    );
    expect(changes).toHaveLength(status === null ? 0 : 1);
  });
});

it('opens that orphan effect again whose compensation failed, and no other of its route', () => {
  const of = { merchantId: 'm', id: payment.id, captureMode: 'automatic' } as Payment;
  const name = (object: string) => `payment-${payment.id}-orphan-3${object}`;
  expect(reverseCompensation(of, name(''))).toMatchObject({
    key: { route: 3, object: 1 },
    set: { status: 'failed' },
    guard: { status: 'compensated' },
  });
  expect(reverseCompensation(of, name('-2'))).toMatchObject({ key: { route: 3, object: 2 } });
});
