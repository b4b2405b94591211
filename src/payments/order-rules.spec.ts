import fc from 'fast-check';
import { paymentFixture } from '../../test/support/fixtures.js';
import { type Order } from './order.entity.js';
import {
  type OrderRequest,
  newOrder,
  orderAfter,
  orderEventOf,
  orderStatusOf,
  type OrderVerdict,
  shareOf,
  whatASecondPaymentGets,
} from './order-rules.js';
import { type Payment } from './payment.entity.js';
import { type PaymentStatus, paymentStatuses } from './payment.lifecycle.js';

const now = new Date('2026-01-01T00:00:00Z');
const merchantId = '00000000-0000-7000-8000-000000000001';
const names = { merchantId, id: 'id of the order' };
const asked: OrderRequest = { reference: 'order-77', amountDue: null, inParts: null, replaces: false };
const of1000 = { amount: 1_000, currency: 'EUR' };

function orderOf(verdict: OrderVerdict | null): Order {
  if (verdict?.do !== 'open') throw new Error(`not opened: ${JSON.stringify(verdict)}`);
  return verdict.order;
}

function payment(status: PaymentStatus, more: Partial<Payment> = {}): Payment {
  const isTaken = status === 'captured' || status === 'partially_refunded' || status === 'refunded';
  return {
    ...paymentFixture(),
    amount: 1_000,
    amountCaptured: isTaken ? 1_000 : 0,
    amountRefunded: status === 'refunded' ? 1_000 : 0,
    status,
    ...more,
  };
}

/** An order of 1,000 with one payment of all of it. */
function orderWith(first: Payment): Order {
  const opened = orderOf(newOrder(names, asked, of1000, now));
  return orderAfter(opened, { live: 1_000, paid: 0 }, shareOf(first), now);
}

function second(first: Payment, more: Partial<OrderRequest> = {}, amount = 1_000): OrderVerdict {
  const order = orderWith(first);
  const live = shareOf(first).live > 0 ? [first] : [];
  return whatASecondPaymentGets(order, live, { amount, currency: 'EUR' }, { ...asked, ...more }, now);
}

describe('the first payment of an order', () => {
  it('makes it, of its own amount unless another one is due', () => {
    expect(newOrder(names, asked, of1000, now)).toMatchObject({
      do: 'open',
      order: { amountDue: 1_000, amountLive: 1_000, amountPaid: 0, inParts: false, version: 1 },
    });
    const due = { ...asked, amountDue: 1_200, inParts: true };
    expect(newOrder(names, due, of1000, now)).toMatchObject({
      order: { amountDue: 1_200, amountLive: 1_000, inParts: true },
    });
  });

  it('may not be of more than is due, nor of a part of nobody knows what', () => {
    const small = { ...asked, amountDue: 999 };
    expect(newOrder(names, small, of1000, now)).toMatchObject({ why: 'amount_exceeds_order' });
    expect(newOrder(names, { ...asked, inParts: true }, of1000, now)).toBeNull();
  });
});

describe('a second payment of an order', () => {
  it.each(['failed', 'canceled', 'refunded'] as const)(
    'goes ahead at once where the first is %s',
    (status) => {
      expect(second(payment(status))).toMatchObject({
        do: 'open',
        order: { amountLive: 1_000, version: 3 },
      });
    },
  );

  it.each(['authorized', 'captured', 'partially_refunded'] as const)(
    'is told that the order is paid where the first is %s',
    (status) => {
      const first = payment(status, status === 'partially_refunded' ? { amountRefunded: 400 } : {});
      expect(second(first)).toEqual({ do: 'refuse', why: 'order_paid', paymentId: first.id });
      expect(second(first, { replaces: true, amountDue: 1_000 })).toMatchObject({ why: 'order_paid' });
      // Paid, but not what is due now: not the final answer.
      expect(second(first, { amountDue: 2_000 }, 2_000)).toMatchObject({ why: 'order_changed' });
    },
  );

  it('waits for the proof of one in doubt', () => {
    const first = payment('processing');
    const wait = { do: 'wait', undecided: [first.id], replaced: [], paymentId: first.id };
    expect(second(first)).toEqual(wait);
    // Its customer has nothing to leave.
    expect(second(first, { replaces: true })).toEqual(wait);
  });

  it('takes the place of one that its customer left, if it says so', () => {
    const first = payment('requires_action');
    const wait = { do: 'wait', undecided: [], replaced: [], paymentId: first.id };
    expect(second(first)).toEqual(wait);
    expect(second(first, { replaces: true })).toEqual({ ...wait, replaced: [first.id] });
  });

  it('is of the amount and currency that are due, unless it says what is', () => {
    const failed = payment('failed');
    expect(second(failed, {}, 900)).toMatchObject({ why: 'order_changed' });
    expect(second(failed, {}, 1_100)).toMatchObject({ why: 'amount_exceeds_order' });
    expect(second(failed, { amountDue: 900 }, 900)).toMatchObject({ order: { amountDue: 900 } });
    const dollars = { amount: 1_000, currency: 'USD' };
    const inDollars = (more: Partial<OrderRequest>, first = failed) =>
      whatASecondPaymentGets(
        orderWith(first),
        first === failed ? [] : [first],
        dollars,
        { ...asked, ...more },
        now,
      );
    expect(inDollars({})).toMatchObject({ why: 'order_changed' });
    expect(inDollars({ amountDue: 1_000 })).toMatchObject({ order: { currency: 'USD' } });
    expect(inDollars({ amountDue: 1_000 }, payment('processing'))).toMatchObject({ why: 'order_changed' });
    // Told at once, also where the first is in doubt.
    expect(second(payment('processing'), {}, 900)).toMatchObject({ why: 'order_changed' });
  });

  it('is not told paid by a live payment that is not found', () => {
    const none = whatASecondPaymentGets(orderWith(payment('captured')), [], of1000, asked, now);
    expect(none).toEqual({ do: 'wait', undecided: [], replaced: [], paymentId: null });
  });

  it('may not turn an order into one of parts while a payment of it is live', () => {
    const parts = { inParts: true, amountDue: 1_500 };
    expect(second(payment('captured'), parts, 500)).toMatchObject({ why: 'order_changed' });
    expect(second(payment('failed'), parts, 500)).toMatchObject({
      order: { inParts: true, amountDue: 1_500 },
    });
  });
});

describe('an order in parts', () => {
  const inParts = { ...asked, inParts: true, amountDue: 1_000 };
  const opened = (amount: number) => orderOf(newOrder(names, inParts, { amount, currency: 'EUR' }, now));
  const next = (order: Order, live: readonly Payment[], amount: number, more: Partial<OrderRequest> = {}) =>
    whatASecondPaymentGets(order, live, { amount, currency: 'EUR' }, { ...asked, ...more }, now);

  it('takes several payments, as far as what is due goes', () => {
    const card = payment('processing', { amount: 400 });
    expect(next(opened(400), [card], 600)).toMatchObject({ do: 'open', order: { amountLive: 1_000 } });
    expect(next(opened(400), [card], 601)).toMatchObject({ do: 'wait', undecided: [card.id] });
    expect(next(opened(400), [card], 1_001)).toMatchObject({ why: 'amount_exceeds_order' });
    expect(next(opened(400), [card], 700, { amountDue: 1_100 })).toMatchObject({
      order: { amountDue: 1_100 },
    });
    expect(next(opened(400), [card], 1, { amountDue: 399 })).toMatchObject({ do: 'wait' });
  });

  it('is no more overpaid once more is due', () => {
    const over = { ...opened(1_000), amountLive: 1_200, amountOverpaid: 200 };
    const gift = payment('captured', { amount: 1_200, amountCaptured: 1_200 });
    expect(next(over, [gift], 300, { amountDue: 1_500 })).toMatchObject({
      order: { amountLive: 1_500, amountOverpaid: 0 },
    });
  });

  it('is paid when the parts that are decided are all of it', () => {
    const gift = payment('captured', { amount: 1_000 });
    expect(next(opened(1_000), [gift], 1)).toMatchObject({ why: 'order_paid', paymentId: gift.id });
    const part = payment('captured', { amount: 400, amountCaptured: 400 });
    expect(next(opened(400), [part], 601)).toMatchObject({ why: 'amount_exceeds_order' });
  });
});

describe('the sums of an order', () => {
  it('say what it is, and what its merchant is told', () => {
    const opened = orderOf(newOrder(names, asked, of1000, now));
    const paid = orderAfter(opened, { live: 1_000, paid: 0 }, { live: 1_000, paid: 1_000 }, now);
    const given = orderAfter(paid, { live: 1_000, paid: 1_000 }, { live: 0, paid: 0 }, now);
    const again = { ...given, amountLive: 1_000 };
    const back = orderAfter(again, { live: 0, paid: 0 }, { live: 1_000, paid: 1_000 }, now);

    expect([opened, paid, given, back].map(orderStatusOf)).toEqual(['pending', 'paid', 'open', 'overpaid']);
    expect(orderEventOf(opened, paid)).toBe('order.paid');
    expect(orderEventOf(paid, given)).toBe('order.released');
    expect(orderEventOf(again, back)).toBe('order.overpaid');
    expect(orderEventOf(opened, { ...opened, amountDue: 900 })).toBeNull();
    expect(back).toMatchObject({ amountLive: 2_000, amountPaid: 1_000, amountOverpaid: 1_000 });
  });

  /** Customers who pay, in parts or not, and what comes of each of their payments. */
  const steps = fc.array(
    fc.oneof(
      fc.record({
        step: fc.constant('pay' as const),
        amount: fc.integer({ min: 1, max: 12 }),
        asked: fc.record({
          amountDue: fc.option(fc.integer({ min: 1, max: 12 })),
          inParts: fc.option(fc.boolean()),
          replaces: fc.boolean(),
        }),
      }),
      fc.record({
        step: fc.constant('learn' as const),
        nth: fc.nat(),
        status: fc.constantFrom(...paymentStatuses),
        part: fc.integer({ min: 1, max: 12 }),
      }),
    ),
    { maxLength: 30 },
  );

  /** The payment as it may look after that is learned. */
  function learned(one: Payment, status: PaymentStatus, part: number): Payment {
    if (one.status === 'failed' || one.status === 'canceled' || one.amountRefunded > 0) return one;
    const some = Math.min(part, one.amount);
    const captured = { status, amountCaptured: one.amountCaptured || some };
    switch (status) {
      case 'captured':
        return { ...one, ...captured };
      case 'partially_refunded':
        return captured.amountCaptured > 1 ? { ...one, ...captured, amountRefunded: 1 } : one;
      case 'refunded':
        return { ...one, ...captured, amountRefunded: captured.amountCaptured };
      default:
        return one.amountCaptured > 0 ? one : { ...one, status };
    }
  }

  it('are those of its live payments, never more than is due, and no proof leaves it stuck', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let order: Order | null = null;
        const payments: Payment[] = [];
        const live = () => payments.filter((one) => shareOf(one).live > 0);
        for (const step of all) {
          if (step.step === 'pay') {
            const request = { amount: step.amount, currency: 'EUR' };
            const as = { ...asked, ...step.asked };
            const verdict: OrderVerdict | null = order
              ? whatASecondPaymentGets(order, live(), request, as, now)
              : newOrder(names, as, request, now);
            if (verdict?.do !== 'open') continue;
            order = verdict.order;
            const id = String(payments.length);
            payments.push(payment('processing', { id, amount: step.amount }));
            if (!order.inParts) expect(live()).toHaveLength(1);
          } else if (order && payments.length > 0) {
            const at = step.nth % payments.length;
            const was = payments[at]!;
            const is = learned(was, step.status, step.part);
            payments[at] = is;
            order = orderAfter(order, shareOf(was), shareOf(is), now);
          }
          if (!order) continue;
          const sum = (of: 'live' | 'paid') => payments.reduce((total, one) => total + shareOf(one)[of], 0);
          expect(order).toMatchObject({
            amountLive: sum('live'),
            amountPaid: sum('paid'),
            amountOverpaid: 0,
          });
          expect(order.amountLive).toBeLessThanOrEqual(order.amountDue);
          if (order.amountLive === 0) {
            const whole = { amount: order.amountDue, currency: 'EUR' };
            expect(whatASecondPaymentGets(order, [], whole, asked, now).do).toBe('open');
          }
        }
      }),
    );
  });
});
