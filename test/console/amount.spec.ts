import fc from 'fast-check';
import { minorUnitsOf } from '../../console/src/amount.js';
import { formatMoney } from '../../src/core/money.js';

it.each([
  ['1234.56', 2, 123_456],
  ['1234.5', 2, 123_450],
  [' 12 ', 2, 1_200],
  ['0.05', 2, 5],
  ['1000', 0, 1_000],
  ['1.234', 3, 1_234],
])('takes %s with %i decimals for %i', (text, decimals, minor) => {
  expect(minorUnitsOf(text, decimals)).toBe(minor);
});

it.each([
  ['12,34', 2],
  ['1,234.00', 2],
  ['1.234,00', 2],
  ['1.234', 2],
  ['12.5', 0],
  ['-5', 2],
  ['+5', 2],
  ['1e3', 2],
  ['5.', 2],
  ['.5', 2],
  ['', 2],
  ['1 000', 2],
  ['€5', 2],
  ['9999999999999', 2],
])('refuses %s with %i decimals, which might mean another amount', (text, decimals) => {
  expect(minorUnitsOf(text, decimals)).toBeNull();
});

it('reads back what the service writes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 99_999_999 }),
      fc.constantFrom('EUR', 'JPY', 'KWD'),
      (amount, currency) => {
        const [figures] = formatMoney({ amount, currency }).split(' ');
        const decimals = { EUR: 2, JPY: 0, KWD: 3 }[currency];
        expect(minorUnitsOf(figures!, decimals)).toBe(amount);
      },
    ),
  );
});
