import fc from 'fast-check';
import { paymentFixture } from '../../test/support/fixtures.js';
import { runs } from '../../test/support/property-runs.js';
import { capturedWithout } from './capture.flow.js';

it('takes a failed capture back only as far as no refund, done or in progress, needs its money', () => {
  const minor = fc.integer({ min: 0, max: 50 });
  fc.assert(
    fc.property(minor, minor, minor, minor, (others, amount, amountRefunded, refundReserved) => {
      const amountCaptured = others + amount;
      const payment = paymentFixture({ amountCaptured, amountRefunded, refundReserved });
      const left = capturedWithout(payment, amount);
      expect(left).toBe(amountRefunded + refundReserved <= others ? others : null);
    }),
    runs(1_000),
  );
});
