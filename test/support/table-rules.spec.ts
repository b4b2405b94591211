import fc from 'fast-check';
import { payments } from '../../src/payments/payment.table.js';
import { paymentFixture } from './fixtures.js';
import { rulesOf } from './table-rules.js';

const balance = rulesOf(payments).checks!.find(({ name }) => name === 'payments_balance')!;
const holds = (amounts: object) => balance.holds({ ...paymentFixture(), ...amounts });
const amount = fc.nat({ max: 1_000 });

describe('payments_balance in the store in memory', () => {
  it('holds as long as no more leaves than came in', () => {
    fc.assert(
      fc.property(amount, amount, amount, amount, (captured, captureReserved, refunded, refundReserved) => {
        const amounts = {
          amount: captured + captureReserved,
          amountCaptured: captured,
          captureReserved,
          amountRefunded: Math.min(refunded, captured),
          refundReserved: Math.min(refundReserved, captured - Math.min(refunded, captured)),
        };
        expect(holds(amounts)).toBe(true);
        expect(holds({ ...amounts, captureReserved: captureReserved + 1 })).toBe(false);
        expect(holds({ ...amounts, amountCaptured: captured + 1 })).toBe(false);
        const left = captured - amounts.amountRefunded - amounts.refundReserved;
        expect(holds({ ...amounts, refundReserved: amounts.refundReserved + left + 1 })).toBe(false);
        expect(holds({ ...amounts, amountRefunded: amounts.amountRefunded + left + 1 })).toBe(false);
      }),
    );
  });

  it.each(['captureReserved', 'refundReserved'])('does not hold where %s is below zero', (name) => {
    expect(holds({ amountCaptured: 500, amountRefunded: 100, [name]: -1 })).toBe(false);
  });
});
