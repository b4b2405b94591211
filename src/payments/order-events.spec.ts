import { orderFixture, paymentFixture } from '../../test/support/fixtures.js';
import { type Change } from '../core/change.js';
import { type Order } from './order.entity.js';
import { moveOrder } from './order-events.js';
import { type Payment } from './payment.entity.js';

const now = new Date('2026-01-01T00:00:00Z');
const order = orderFixture();
const paymentOf = (status: Payment['status'], amountCaptured = 0, amountRefunded = 0): Payment => ({
  ...paymentFixture(),
  amount: 1_000,
  status,
  amountCaptured,
  amountRefunded,
});
const move = (of: Order, was: Payment, is: Payment) => moveOrder(of, was, is, () => 'id', now);
const eventsIn = (changes: readonly Change[]) =>
  changes.flatMap((change) => (change.op === 'insert' ? [change.row['type']] : []));

describe('the order of a payment that changes', () => {
  const processing = paymentOf('processing');
  const captured = paymentOf('captured', 1_000);
  const refunded = paymentOf('refunded', 1_000, 1_000);

  it('is left alone where the payment takes as much as before', () => {
    expect(move(order, processing, paymentOf('authorized'))).toEqual({ order, set: {}, changes: [] });
  });

  it('is held to the version that was read', () => {
    const { changes } = move(order, processing, captured);
    expect(changes[0]).toMatchObject({
      op: 'update',
      set: { version: 5, amountLive: 1_000, amountPaid: 1_000 },
      guard: { version: 4 },
    });
    expect(eventsIn(changes)).toEqual(['order.paid']);
  });

  it.each([
    ['failed', processing, paymentOf('failed')],
    ['canceled', processing, paymentOf('canceled')],
    ['refunded', captured, refunded],
  ])('is let go by a payment that is %s', (_status, was, is) => {
    const { set, changes } = move({ ...order, amountPaid: was.amountCaptured }, was, is);
    expect(set).toEqual({ holdsOrder: null });
    expect(eventsIn(changes)).toEqual(['order.released']);
  });

  it('is held again by one whose refund failed later, unless another one is live by then', () => {
    const free = { ...order, amountLive: 0 };
    expect(move(free, refunded, captured)).toMatchObject({ set: { holdsOrder: true } });
    const taken = move({ ...order, amountPaid: 1_000 }, refunded, captured);
    expect(taken.set).toEqual({});
    expect(taken.order).toMatchObject({ amountLive: 2_000, amountPaid: 2_000, amountOverpaid: 1_000 });
    expect(eventsIn(taken.changes)).toEqual(['order.overpaid']);
    // Given back, it is no more than what is due again.
    expect(move(taken.order, captured, refunded)).toMatchObject({
      order: { amountLive: 1_000, amountOverpaid: 0 },
    });
  });

  it('has no holder where it is paid in parts', () => {
    const parts = { ...order, inParts: true };
    expect(move(parts, processing, paymentOf('failed')).set).toEqual({});
  });
});
