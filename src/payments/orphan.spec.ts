import { requestOf } from '../../test/support/arbitrary-history.js';
import { paymentFixture } from '../../test/support/fixtures.js';
import { type Answer } from '../psp/contract.js';
import { type StepResult } from '../request-storage/decisions/advance.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type OrphanEffect, type PspAttempt, type Route } from '../request-storage/route.entity.js';
import {
  instructionOfCompensation,
  isVouchedFor,
  openCompensation,
  orphanAfter,
  reverseCompensation,
  stateOfOrphan,
  undoable,
} from './orphan.js';
import { type Payment } from './payment.entity.js';
import { keyAtPspOf, type PaymentState } from './payment-state.js';

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

describe('a compensation', () => {
  const orphan = {
    ...found,
    amount: 700,
    currency: 'EUR',
    dueAt: new Date('2026-01-02T00:00:00Z'),
  };
  const name = entityKey.orphan(payment.id, 2);
  const now = new Date('2026-01-01T00:00:00Z');
  const run = { lockToken: 't', heldToken: 't', leaseMs: 20_000, traceId: 'trace' };
  const at = { psp: 'first', accountFingerprint: 'a' };

  it.each([
    ['charge', 'refund'],
    ['authorize', 'void'],
  ] as const)('of a %s is a %s of that object, at the PSP that made it', (operation, undoes) => {
    const asked: unknown[] = [];
    const accountAt = (...of: unknown[]) => (asked.push(of), at);
    const state = stateWith();
    const { changes, history } = openCompensation(state, { ...orphan, operation }, { accountAt }, run, now);
    expect(asked).toEqual([['first', undoes]]);
    const [{ request, attempts }] = history.routes as never as [ReturnType<typeof route>];
    expect(request).toMatchObject({
      merchantId: 'm',
      paymentId: payment.id,
      payoutId: null,
      entityKey: name,
      route: 1,
      operation: undoes,
      psp: 'first',
      amount: 700,
      currency: 'EUR',
      pspIdempotencyKey: keyAtPspOf(state, name),
    });
    expect(attempts[0]!.request).toMatchObject({ parent_reference: 'pi_2' });
    expect(changes[0]).toMatchObject({
      op: 'update',
      key: { merchantId: 'm', entityKey: charge, route: 2, object: 1 },
      set: { status: 'compensating' },
      guard: { status: 'open', dueAt: orphan.dueAt },
    });
    expect(changes).toHaveLength(3);
  });

  it('that was refused goes on under its name, with the next route', () => {
    const state = stateWith('ruled_out');
    const { history } = openCompensation(state, orphan, { accountAt: () => at }, run, now);
    expect(history.routes.map(({ request }) => request.route)).toEqual([1, 2, 3]);
  });

  const attempt = (more: Partial<PspAttempt>) => ({ request: {}, response: null, ...more }) as PspAttempt;
  const yes = { kind: 'execute', outcome: 'succeeded' } as const;
  const compensated = (
    own: readonly PspAttempt[],
    charged: readonly PspAttempt[],
    reference: string | null,
  ) =>
    ({
      payment: { ...payment, pspReference: 'of the payment' },
      histories: new Map([
        [charge, { routes: [route(1), route(2, { pspReference: reference }, charged)] }],
        [
          name,
          {
            routes: [
              route(1, {}, [attempt({ request: { parent_reference: 'first route' } })]),
              route(2, {}, own),
            ],
          },
        ],
      ]),
    }) as unknown as PaymentState;

  it.each<[string, readonly PspAttempt[], readonly PspAttempt[], string | null]>([
    ['of its own', [attempt({ request: { parent_reference: 'of its own' } })], [], 'of the route'],
    [
      'of the answer',
      [attempt({})],
      [attempt({ ...yes, response: { psp_reference: 'of the answer' } })],
      'of the route',
    ],
    ['of the route', [attempt({})], [attempt({ kind: 'execute', outcome: 'unknown' })], 'of the route'],
    ['of the route', [], [attempt({ ...yes, response: { psp_reference: 7 } })], 'of the route'],
    ['of the payment', [attempt({})], [], null],
  ])('acts upon the id %s', (parentReference, own, charged, reference) => {
    const request = { ...requestOf('first', 2), entityKey: name };
    const state = compensated(own, charged, reference);
    expect(instructionOfCompensation(state, request)).toEqual({ parentReference });
  });

  it('without any id acts upon none', () => {
    const state = { payment: { ...payment, pspReference: null }, histories: new Map() };
    const request = { ...requestOf('first', 1), entityKey: name };
    expect(instructionOfCompensation(state as unknown as PaymentState, request)).toEqual({
      parentReference: '',
    });
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
