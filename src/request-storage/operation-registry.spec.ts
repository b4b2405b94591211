import { type NotificationItem } from '../psp/notification.js';
import { isOfPayment, isOfPayout } from './entity-key.js';
import { type RegisteredWorker, OperationRegistry } from './operation-registry.js';

const ID = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e42';
const UNKNOWN_ID = '019aa5c0-8a4b-7c7e-9c55-2f3b0a6d1e43';

/** Payments and payouts, each with a worker that says which it is. */
function owners() {
  const taken: unknown[][] = [];
  const workerOf = (name: string) =>
    ({
      advance: () => Promise.resolve(true),
      recordNotification: (...args: unknown[]) => {
        taken.push([name, ...args]);
        return Promise.resolve('applied');
      },
    }) as unknown as RegisteredWorker;
  const [payments, payouts] = [workerOf('payments'), workerOf('payouts')];
  const all = new OperationRegistry();
  all.register({
    owns: isOfPayment,
    worker: payments,
    subjectOf: (id) => Promise.resolve(id === ID ? { merchantId: 'm', paymentId: id, payoutId: null } : null),
    recordDispute: () => Promise.resolve('recorded'),
  });
  all.register({
    owns: isOfPayout,
    worker: payouts,
    subjectOf: (id) => Promise.resolve(id === ID ? { merchantId: 'm', paymentId: null, payoutId: id } : null),
  });
  return { all, payments, payouts, taken };
}

const itemOf = (more: Partial<NotificationItem>) =>
  ({ about: 'operation', entityKey: null, ofPayment: null, ...more }) as unknown as NotificationItem;

describe('the owner of an operation', () => {
  it('is the module that registered its entity key', () => {
    const { all, payments, payouts } = owners();
    expect(all.of(`payment-${ID}-charge`)).toBe(payments);
    expect(all.of(`payment-${ID}-orphan-1`)).toBe(payments);
    expect(all.of(`payout-${ID}-send`)).toBe(payouts);
  });

  it('is missing for a key that no module registered', () => {
    expect(() => owners().all.of(`voucher-${ID}-send`)).toThrow(RangeError);
  });
});

describe('what a PSP says', () => {
  it.each([
    [{ entityKey: `payout-${ID}-send` }, 'payouts', { merchantId: 'm', paymentId: null, payoutId: ID }],
    [{ ofPayment: `payment-${ID}-charge` }, 'payments', { merchantId: 'm', paymentId: ID, payoutId: null }],
  ])('of %j goes to its owner', async (more, name, subject) => {
    const { all, taken } = owners();
    const item = itemOf(more);
    expect(await all.recordNotification('stripe', item, 't')).toBe('applied');
    expect(taken).toEqual([[name, subject, 'stripe', item, 't']]);
  });

  it.each([
    { entityKey: null },
    { entityKey: 'an order of another system' },
    { entityKey: `voucher-${ID}-send` },
    { entityKey: `payment-${UNKNOWN_ID}-charge` },
  ])('of %j is unknown', async (more) => {
    const { all, taken } = owners();
    expect(await all.recordNotification('stripe', itemOf(more), 't')).toBe('unknown');
    expect(taken).toEqual([]);
  });

  it('of a dispute is recorded by the module that has disputes, and unknown without one', async () => {
    const dispute = itemOf({ about: 'dispute' });
    expect(await owners().all.recordNotification('stripe', dispute, 't')).toBe('recorded');
    expect(await new OperationRegistry().recordNotification('stripe', dispute, 't')).toBe('unknown');
  });
});
