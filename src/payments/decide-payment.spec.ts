import fc from 'fast-check';
import { orderFixture, paymentFixture, refundFixture } from '../../test/support/fixtures.js';
import { runs } from '../../test/support/property-runs.js';
import { type Change, insert, update } from '../core/change.js';
import { type JsonText } from '../core/json-text.js';
import { eventRecords } from '../database/event.js';
import { type Capabilities, type Operation } from '../psp/contract.js';
import { RefundFlow } from '../refunds/refund.flow.js';
import { type AnsweredCall, type OperationHistory } from '../request-storage/decisions/attempt.js';
import { advance, type StepResult, startOperation } from '../request-storage/decisions/advance.js';
import { entityKey } from '../request-storage/entity-key.js';
import { orphanEffects } from '../request-storage/route.table.js';
import { orders } from './order.table.js';
import { type Payment } from './payment.entity.js';
import { payments, paymentTransitions } from './payment.table.js';
import { type OperationTools } from '../request-storage/operation-tools.js';
import { PaymentOperations } from './payment-operations.js';
import { firstRequested, type PaymentState } from './payment-state.js';
import { paymentFlows } from './payment-flows.js';
import { decidePayment } from './decide-payment.js';

const operations = new PaymentOperations({} as OperationTools);
paymentFlows(operations, () => ({ candidates: [], cancelBeforeFailover: false }));
operations.register(new RefundFlow(operations));
const operationOf = (name: Operation) => operations.operation(name);

const now = new Date('2026-01-01T00:00:00Z');
const driver = { lockToken: 't', heldToken: 't', leaseMs: 20_000, traceId: 'trace' };
const can: Capabilities = {
  operations: ['charge', 'authorize', 'capture', 'void', 'refund'],
  currencies: null,
  methods: { card: {} },
  idempotency: { windowMs: 86_400_000, replays: 'all' },
  lookup: null,
  cancel: null,
  captures: 'several',
};

const canLookUp: Capabilities = {
  ...can,
  lookup: { by: 'reference', consistency: 'strong', settlesAfterMs: 90_000 },
};

const payment = paymentFixture();

type Part = { readonly operation: 'capture' | 'refund' | 'void'; readonly amount: number };

/** A payment on which a part has just been opened, with what is reserved for it. */
function opened(
  of: Payment,
  { operation, amount }: Part,
  name: string,
): { state: PaymentState; stepResult: StepResult } {
  const key = operation === 'void' ? entityKey.void('p') : entityKey[operation]('p', name);
  const opening = {
    merchantId: 'm',
    paymentId: 'p',
    payoutId: null,
    entityKey: key,
    operation,
    amount,
    currency: 'EUR',
    pspIdempotencyKey: `key of ${key}`,
  };
  const stepResult = startOperation(opening, { psp: 'adyen', accountFingerprint: 'a' }, driver, now);
  const reserved = {
    ...of,
    captureReserved: operation === 'capture' ? amount : 0,
    refundReserved: operation === 'refund' ? amount : 0,
  };
  const state = {
    wanted: firstRequested,
    requestedKey: key,
    payment: reserved,
    order: null,
    histories: new Map([[key, stepResult.history]]),
    secrets: null,
    call: stepResult.call,
    opened: true,
    records: new Map(
      operation === 'refund'
        ? [[key, { row: refundFixture({ entityKey: key, id: `id of ${key}`, amount }), isStored: true }]]
        : [],
    ),
  };
  return { state, stepResult };
}

function factsAt(at: Date) {
  return {
    now: at,
    deadline: now,
    capabilities: () => can,
    fingerprintOf: () => 'a',
    mayBeginAt: () => true,
    candidates: ['adyen'],
    clientWaiting: false,
    intent: 'finish' as const,
    cancelBeforeFailover: false,
    clockTrusted: true,
    hold: 'none' as const,
    leaseMs: 20_000,
  };
}

function answeredWith(
  state: PaymentState,
  history: OperationHistory,
  outcome: AnsweredCall['answer']['outcome'],
  at = now,
): { readonly state: PaymentState; readonly changes: readonly Change[] } {
  const answered = { call: state.call!, answer: { outcome }, endedAt: now, latencyMs: 1 };
  const facts = factsAt(at);
  return decidePayment(state, advance(history, facts, driver, answered), facts, operationOf, () => 'e');
}

/** Type of each event among the changes, and the status that it shows. */
function toldBy(changes: readonly Change[]): unknown[] {
  return changes.flatMap((change) => {
    if (change.table !== eventRecords || change.op !== 'insert') return [];
    const { type, data } = change.row;
    return [[type, (JSON.parse((data as JsonText).text) as { status: string }).status]];
  });
}

function expectedOf({ operation }: Part, outcome: 'succeeded' | 'rejected' | 'unknown', after: Payment) {
  if (outcome === 'unknown') return [];
  if (operation === 'refund') {
    const status = outcome === 'succeeded' ? 'succeeded' : 'failed';
    return [[`refund.${status}`, status]];
  }
  if (outcome === 'rejected') return [];
  const canceled = operation === 'void' && after.amountCaptured === 0;
  return [[canceled ? 'payment.canceled' : 'payment.captured', after.status]];
}

/** What a part comes to when its PSP answers, and the same answer comes once more, late. */
function played(
  of: Payment,
  part: Part,
  name: string,
  outcome: 'succeeded' | 'rejected' | 'unknown',
): Payment {
  const { state, stepResult } = opened(of, part, name);
  const key = stepResult.history.entityKey;
  const { state: once, changes } = answeredWith(state, state.histories.get(key)!, outcome);
  const twice = answeredWith({ ...once, call: state.call }, once.histories.get(key)!, outcome);
  expect(twice.state.payment).toEqual(once.payment);
  // One event, written by the commit that makes the change, with the state of that moment.
  expect(toldBy(changes)).toEqual(expectedOf(part, outcome, once.payment));
  expect(toldBy(twice.changes)).toEqual([]);
  return once.payment;
}

describe('what an operation comes to', () => {
  it('is counted once, and what was reserved is released by proof alone', () => {
    const parts = fc.array(
      fc.record({
        operation: fc.constantFrom('capture' as const, 'refund' as const),
        share: fc.integer({ min: 1, max: 100 }),
        outcome: fc.constantFrom('succeeded' as const, 'rejected' as const, 'unknown' as const),
      }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(parts, (drawn) => {
        let current = payment;
        let [captured, refunded] = [0, 0];
        for (const [i, { operation, share, outcome }] of drawn.entries()) {
          const left = operation === 'capture' ? 1_000 - captured : captured - refunded;
          const amount = Math.ceil((left * share) / 100);
          const isOver = !['authorized', 'captured', 'partially_refunded'].includes(current.status);
          if (amount === 0 || isOver || (operation === 'capture' && current.status !== 'authorized'))
            continue;
          current = played(current, { operation, amount }, `part-${i}`, outcome);
          if (outcome === 'unknown') {
            expect(operation === 'capture' ? current.captureReserved : current.refundReserved).toBe(amount);
            return;
          }
          if (outcome === 'succeeded' && operation === 'capture') captured += amount;
          if (outcome === 'succeeded' && operation === 'refund') refunded += amount;
          expect(current).toMatchObject({ amountCaptured: captured, amountRefunded: refunded });
          expect(current.captureReserved + current.refundReserved).toBe(0);
        }
        expect(current.status).toBe(statusOf(captured, refunded));
      }),
      runs(2_000),
    );
  });

  it('calls a person once, however often it is asked about again and given up again', () => {
    const { state, stepResult } = opened(payment, { operation: 'capture', amount: 500 }, 'a');
    const key = stepResult.history.entityKey;
    const history = (of: PaymentState) => of.histories.get(key)!;
    const late = new Date(now.getTime() + 30 * 86_400_000);
    const stuck = answeredWith(state, history(state), 'unknown', late);
    expect(history(stuck.state).routes[0]?.request.stuckAt).toEqual(late);
    expect(toldBy(stuck.changes)).toEqual([['payment.stuck', 'authorized']]);

    const deadline = new Date(late.getTime() + 25_000);
    const asked = { ...factsAt(late), deadline, clientWaiting: true, capabilities: () => canLookUp };
    const again = advance(history(stuck.state), asked, driver);
    expect(again.call?.attempt.kind).toBe('lookup');
    const looked = decidePayment(stuck.state, again, asked, operationOf, () => 'e');
    expect(toldBy(looked.changes)).toEqual([]);
    const given = answeredWith(looked.state, history(looked.state), 'unknown', late);
    expect(history(given.state).routes[0]?.request.stuckAt).toEqual(late);
    expect(toldBy(given.changes)).toEqual([]);
  });

  it('ends what is left when it is canceled', () => {
    const some = { ...payment, amountCaptured: 600 };
    const rest = { operation: 'void', amount: 400 } as const;
    expect(played(payment, { ...rest, amount: 1_000 }, 'v', 'succeeded').status).toBe('canceled');
    expect(played(some, rest, 'v', 'succeeded').status).toBe('captured');
    expect(played({ ...some, amountRefunded: 100 }, rest, 'v', 'succeeded').status).toBe(
      'partially_refunded',
    );
    expect(played({ ...some, amountRefunded: 600 }, rest, 'v', 'succeeded').status).toBe('refunded');
  });
});

/** The decision on a step that was made by hand, as the read before the commit may bring any. */
function decided(state: PaymentState, stepResult: StepResult) {
  return decidePayment(state, stepResult, factsAt(now), operationOf, () => 'e').changes;
}

/** A part of 400 of the authorization, as its PSP's answer decides it, and the state before that. */
function partCaptured(of: Payment = payment) {
  const { state, stepResult } = opened(of, { operation: 'capture', amount: 400 }, 'a');
  const answered = {
    call: state.call!,
    answer: { outcome: 'succeeded' } as const,
    endedAt: now,
    latencyMs: 1,
  };
  return { state, settled: advance(stepResult.history, factsAt(now), driver, answered) };
}

describe('what is written with a decision', () => {
  const key = entityKey.capture('p', 'a');

  it('is the next version of the payment, held to the one that was read, with the line that explains it', () => {
    const { state, settled } = partCaptured();
    expect(decided(state, settled).filter(({ table }) => table === payments)).toEqual([
      update(
        payments,
        { merchantId: 'm', id: 'p' },
        expect.objectContaining({ amountCaptured: 400, captureReserved: 0, version: 4 }) as never,
        { version: 3 },
      ),
    ]);
    expect(decided(state, settled).filter(({ table }) => table === paymentTransitions)).toEqual([
      insert(paymentTransitions, {
        merchantId: 'm',
        paymentId: 'p',
        version: 4,
        event: 'part_captured',
        fromStatus: 'authorized',
        toStatus: 'authorized',
        actor: 'psp:adyen',
        entityKey: key,
        at: now,
      }),
    ]);
  });

  it('is what the step writes, and nothing more, where the step says nothing new of the payment', () => {
    const { state, settled } = partCaptured();
    const { history } = settled;
    const withRoute = (differences: object): PaymentState => {
      const [{ request, attempts }] = history.routes as never as [OperationHistory['routes'][number]];
      const route = { request: { ...request, ...differences }, attempts };
      return { ...state, histories: new Map([[key, { ...history, routes: [route] }]]) };
    };
    // It was decided before; it was decided by another route; nobody has opened it.
    for (const before of [
      withRoute({ verdict: 'effective' }),
      withRoute({ verdict: 'open', route: 7 }),
      { ...state, histories: new Map([[key, { ...history, routes: [] }]]) },
      { ...state, histories: new Map() },
    ]) {
      expect(decided(before, settled)).toEqual(settled.changes);
    }
    expect(decided(withRoute({ verdict: 'open' }), settled).length).toBeGreaterThan(settled.changes.length);
  });

  it('changes the order of the payment with it, and none where it is for none', () => {
    const order = orderFixture();
    const { state, settled } = partCaptured({ ...payment, orderReference: 'order-77', holdsOrder: true });
    const written = decidePayment({ ...state, order }, settled, factsAt(now), operationOf, () => 'e');
    expect(written.changes.filter(({ table }) => table === orders)).toEqual([
      expect.objectContaining({ op: 'update', set: expect.objectContaining({ amountPaid: 400 }) as never }),
    ]);
    expect(written.state.order).toMatchObject({ version: 5, amountLive: 1_000, amountPaid: 400 });
    const alone = decidePayment(state, settled, factsAt(now), operationOf, () => 'e');
    expect(alone.changes.map(({ table }) => table)).toEqual([
      ...settled.changes.map(({ table }) => table),
      payments,
      paymentTransitions,
      eventRecords,
    ]);
    expect(alone.state.order).toBeNull();
  });

  it('needs the row of an operation that has one', () => {
    const { state, stepResult } = opened(
      { ...payment, amountCaptured: 1_000, status: 'captured' },
      { operation: 'refund', amount: 100 },
      'r',
    );
    const lost = { ...state, records: new Map() };
    expect(() => answeredWith(lost, stepResult.history, 'succeeded')).toThrow(
      `an operation without its row: ${entityKey.refund('p', 'r')}`,
    );
  });
});

describe('a step that waits', () => {
  const charge = { ...payment, status: 'processing', captureMode: 'automatic', psp: null } as Payment;
  const opening = {
    merchantId: 'm',
    paymentId: 'p',
    payoutId: null,
    entityKey: entityKey.charge('p'),
    operation: 'charge' as const,
    amount: 1_000,
    currency: 'EUR',
    pspIdempotencyKey: 'k',
  };
  const { history, call } = startOperation(opening, { psp: 'adyen', accountFingerprint: 'a' }, driver, now);
  const state: PaymentState = {
    wanted: firstRequested,
    requestedKey: history.entityKey,
    payment: charge,
    order: null,
    histories: new Map([[history.entityKey, history]]),
    secrets: null,
    call,
    opened: true,
    records: new Map(),
  };

  it.each([
    ['requires_action', 'requires_action'],
    ['pending', 'processing'],
    ['unknown', 'processing'],
  ] as const)('after the answer %s leaves the payment %s', (outcome, status) => {
    expect(answeredWith(state, history, outcome).state.payment.status).toBe(status);
  });

  it('of a capture leaves the payment as it is, also where its PSP asks for the customer', () => {
    const { state: capturing, stepResult } = opened(payment, { operation: 'capture', amount: 500 }, 'c');
    const waited = answeredWith(capturing, stepResult.history, 'requires_action');
    expect(waited.state.payment).toBe(capturing.payment);
  });
});

it('writes what a compensation comes to on its orphan effect, and nothing on the payment', () => {
  const { state, settled } = partCaptured();
  const name = entityKey.orphan('p', 2);
  const history = { ...settled.history, entityKey: name };
  const before = { ...state.histories.get(entityKey.capture('p', 'a'))!, entityKey: name };
  const compensating = { ...state, histories: new Map([[name, before]]) };
  const { state: after, changes } = decidePayment(
    compensating,
    { ...settled, history },
    factsAt(now),
    operationOf,
    () => 'e',
  );
  expect(after.payment).toBe(state.payment);
  expect(changes.slice(0, settled.changes.length)).toEqual(settled.changes);
  expect(changes.slice(settled.changes.length)).toEqual([
    update(
      orphanEffects,
      { merchantId: 'm', entityKey: entityKey.authorize('p'), route: 2, object: 1 },
      { status: 'compensated' },
      { status: 'compensating' },
    ),
  ]);
});

function statusOf(captured: number, refunded: number): string {
  if (captured < 1_000) return 'authorized';
  if (refunded === 0) return 'captured';
  return refunded < captured ? 'partially_refunded' : 'refunded';
}
