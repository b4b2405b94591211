import fc from 'fast-check';
import { paymentFixture, refundFixture } from '../../test/support/fixtures.js';
import { type Dispute } from '../payments/dispute.js';
import { firstRequested, type PaymentState } from '../payments/payment-state.js';
import { paymentStatuses } from '../payments/payment.lifecycle.js';
import { type Route } from '../request-storage/route.entity.js';
import { leftToRefund, refundRefusal, reversedRefusal } from './refund-rules.js';

const requested = (amount: number | null) => ({ ...firstRequested, operation: 'refund' as const, amount });
const withheld = (amountWithheld: number) => [{ amountWithheld } as Dispute];

/** A captured payment, of which a part is refunded, a part is being refunded, and a part is disputed. */
const refunded = fc
  .record({
    captured: fc.integer({ min: 1, max: 1_000 }),
    done: fc.nat(),
    inProgress: fc.nat(),
    disputed: fc.nat(),
  })
  .map(({ captured, done, inProgress, disputed }) => {
    const amountRefunded = done % (captured + 1);
    return paymentFixture({
      status: amountRefunded === 0 ? 'captured' : 'partially_refunded',
      amountCaptured: captured,
      amountRefunded,
      refundReserved: inProgress % (captured - amountRefunded + 1),
      disputes: withheld(disputed % 1_500),
    });
  });

describe('what is left to refund', () => {
  it('is what was captured without what is refunded, in progress or disputed, and never below zero', () => {
    expect(
      leftToRefund(paymentFixture({ amountCaptured: 1_000, amountRefunded: 300, refundReserved: 200 })),
    ).toBe(500);
    expect(leftToRefund(paymentFixture({ amountCaptured: 1_000, disputes: withheld(400) }))).toBe(600);
    expect(leftToRefund(paymentFixture({ amountCaptured: 1_000, disputes: withheld(1_200) }))).toBe(0);
  });

  it('bounds every refund that is allowed, and no refund within it is refused', () => {
    fc.assert(
      fc.property(refunded, fc.integer({ min: 1, max: 1_500 }), (payment, amount) => {
        const left = leftToRefund(payment);
        expect(refundRefusal(payment, requested(amount)) === null).toBe(amount <= left);
        expect(refundRefusal(payment, requested(null)) === null).toBe(left > 0);
        // The money that would have gone out, with what goes out already, never exceeds what came in.
        if (amount <= left)
          expect(payment.amountRefunded + payment.refundReserved + amount).toBeLessThanOrEqual(
            payment.amountCaptured,
          );
      }),
    );
  });
});

describe('a refund that is refused', () => {
  const half = { status: 'partially_refunded', amountCaptured: 1_000, amountRefunded: 500 } as const;

  it('says whether the amount is gone or only disputed', () => {
    expect(refundRefusal(paymentFixture(half), requested(501))).toMatchObject({
      code: 'amount_exceeds_refundable',
      detail: 'At most 500 EUR (minor units) can still be refunded.',
    });
  });

  it.each([
    // A dispute withholds 200 of the 500 that are left: the refusal says whether an amount is gone or only disputed.
    [200, 0, 301, 'payment_disputed'],
    [200, 0, 500, 'payment_disputed'],
    [200, 0, 501, 'amount_exceeds_refundable'],
    [500, 0, null, 'payment_disputed'],
    // Nothing is left to withhold, or nothing is withheld.
    [200, 500, null, 'amount_exceeds_refundable'],
    [0, 500, null, 'amount_exceeds_refundable'],
  ])('where %i are withheld and %i in progress, for %s: %s', (disputed, refundReserved, amount, code) => {
    const payment = paymentFixture({ ...half, refundReserved, disputes: withheld(disputed) });
    const left = Math.max(0, 500 - refundReserved - disputed);
    expect(refundRefusal(payment, requested(amount))).toMatchObject({
      code,
      detail: expect.stringContaining(`t most ${left} `) as string,
    });
  });

  it.each(
    paymentStatuses.filter((status) =>
      ['processing', 'requires_action', 'canceled', 'failed'].includes(status),
    ),
  )('because the payment is %s, whatever its amounts are', (status) => {
    const payment = paymentFixture({ status, amountCaptured: 1_000 });
    expect(refundRefusal(payment, requested(1))).toMatchObject({ code: 'invalid_state' });
  });

  it('because nothing is captured', () => {
    expect(refundRefusal(paymentFixture(), requested(1))).toMatchObject({ code: 'invalid_state' });
  });
});

describe('a refund that failed, asked for again under its name', () => {
  const stateOf = (verdict: Route['verdict']) => {
    const routes = [{ request: { verdict } as Route, attempts: [] }];
    const requestedKey = 'payment-p-refund';
    return { requestedKey, histories: new Map([[requestedKey, { routes }]]) } as unknown as PaymentState;
  };

  it('is refused where the PSP had done it, and is tried again where the PSP did nothing', () => {
    const failed = refundFixture({ status: 'failed' });
    expect(reversedRefusal(failed, stateOf('effective'))).toMatchObject({
      code: 'refund_reversed',
      members: { refund_id: failed.id },
    });
    expect(reversedRefusal(failed, stateOf('ruled_out'))).toBeNull();
    expect(reversedRefusal(refundFixture({ status: 'succeeded' }), stateOf('effective'))).toBeNull();
  });
});
