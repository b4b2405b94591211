import fc from 'fast-check';
import { type DisputeNews, type NotificationItem } from '../psp/notification.js';
import { withheldOf } from './dispute.js';
import { type Payment } from './payment.entity.js';
import { dispute } from './payment-disputes.js';

const now = new Date(Date.UTC(2026, 10, 22));
const payment = {
  merchantId: 'm',
  id: 'p',
  version: 3,
  status: 'captured',
  captureMode: 'automatic',
  amount: 1_000,
  amountCaptured: 1_000,
  amountRefunded: 0,
  currency: 'EUR',
  psp: 'adyen',
} as Payment;

function factOf(news: Partial<DisputeNews>, amount = 1_000, currency = 'EUR'): NotificationItem {
  return {
    entityKey: null,
    route: null,
    ofPayment: null,
    pspReference: null,
    parentReference: 'P',
    operation: null,
    about: 'dispute',
    cancelReference: null,
    dispute: { reference: 'D', stage: 1, status: 'open', withheld: true, ...news },
    answer: { outcome: 'pending', money: { amount, currency } },
  };
}

/** The course of one dispute, step by step. */
const course: readonly Partial<DisputeNews>[] = [
  { stage: 1, status: 'open', withheld: false },
  { stage: 2, status: 'lost', withheld: true },
  { stage: 3, status: 'won', withheld: false },
  { stage: 5, status: 'lost', withheld: true },
];

/** The payment after the news, and the types of the events that were written. */
function apply(...news: readonly Partial<DisputeNews>[]): { payment: Payment; types: string[] } {
  let id = 0;
  return news.reduce<{ payment: Payment; types: string[] }>(
    (before, one) => {
      const changes = dispute(before.payment, factOf(one), () => `id-${(id += 1)}`, now);
      if (typeof changes === 'string') return before;
      const set = changes.find((c) => c.op === 'update' && c.table.name === 'payments');
      if (set?.op !== 'update') throw new Error('the payment was not written');
      const events = changes.filter((c) => c.op === 'insert' && c.table.name === 'events');
      return {
        payment: { ...before.payment, ...(set.set as Partial<Payment>) },
        types: [...before.types, ...events.map((c) => String((c as { row: { type?: unknown } }).row.type))],
      };
    },
    { payment, types: [] },
  );
}

describe('news of a dispute', () => {
  it('comes to the same in whatever order, however often', () => {
    const shuffled = fc.shuffledSubarray([...course, ...course], { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), shuffled, (steps, order) => {
        const known = course.slice(0, steps);
        const { payment: after, types } = apply(...order.filter((one) => known.includes(one)));
        const last = known.at(-1)!;
        expect(after.disputes).toMatchObject([{ status: last.status, stage: last.stage }]);
        expect(withheldOf(after)).toBe(last.withheld ? 1_000 : 0);
        expect(types.filter((type) => type === 'dispute.opened')).toHaveLength(1);
        expect(types[0]).toBe('dispute.opened');
      }),
    );
  });

  it('that is known is no news', () => {
    const { payment: after } = apply(course[1]!);
    expect(dispute(after, factOf(course[1]!), () => 'id', now)).toBe('known');
    expect(dispute(after, factOf(course[0]!), () => 'id', now)).toBe('known');
  });

  it('is for a person where nothing was captured, or the money is of another currency', () => {
    const open = course[0]!;
    const failed = { ...payment, status: 'failed', amountCaptured: 0 } as Payment;
    expect(dispute(failed, factOf(open), () => 'id', now)).toBe('contradiction');
    expect(dispute(payment, factOf(open, 1_000, 'USD'), () => 'id', now)).toBe('contradiction');
  });

  it('is of test mode where its payment is', () => {
    const told = (isTest: boolean) => {
      const changes = dispute({ ...payment, isTest }, factOf(course[0]!), () => 'id', now);
      if (typeof changes === 'string') throw new Error(changes);
      const event = changes.find((c) => c.op === 'insert' && c.table.name === 'events');
      return event?.op === 'insert' && (event.row['data'] as { test: boolean }).test;
    };
    expect([told(true), told(false)]).toEqual([true, false]);
  });

  it('counts two disputes of one payment beside each other', () => {
    const one = { ...course[1]!, reference: 'D1' };
    const { payment: after } = apply(one, { ...course[1]!, reference: 'D2' });
    expect(withheldOf(after)).toBe(2_000);
  });
});
