import fc from 'fast-check';
import { currencies, exponentOf, formatMoney, isCurrency } from './money.js';

describe('money', () => {
  it('knows currencies of no, two and three decimals', () => {
    expect(['JPY', 'KRW', 'CLP', 'VND'].map(exponentOf)).toEqual([0, 0, 0, 0]);
    expect(['EUR', 'USD', 'GBP', 'HUF'].map(exponentOf)).toEqual([2, 2, 2, 2]);
    expect(['KWD', 'BHD', 'TND', 'JOD'].map(exponentOf)).toEqual([3, 3, 3, 3]);
  });

  it('takes no code that is not money a customer pays with', () => {
    for (const code of ['XXX', 'XTS', 'XAU', 'XDR', 'CHE', 'UYI', 'USN', 'eur', 'EURO', '', 'ZZZ']) {
      expect(isCurrency(code)).toBe(false);
    }
    expect(() => exponentOf('ZZZ')).toThrow('not a currency: ZZZ');
    for (const code of ['XOF', 'XAF', 'XPF', 'XCD']) expect(isCurrency(code)).toBe(true);
  });

  it('is written with as many decimals as the currency has, and loses nothing', () => {
    expect(formatMoney({ amount: 1234, currency: 'EUR' })).toBe('12.34 EUR');
    expect(formatMoney({ amount: 5, currency: 'EUR' })).toBe('0.05 EUR');
    expect(formatMoney({ amount: -5, currency: 'EUR' })).toBe('-0.05 EUR');
    expect(formatMoney({ amount: 0, currency: 'EUR' })).toBe('0.00 EUR');
    expect(formatMoney({ amount: 1200, currency: 'JPY' })).toBe('1200 JPY');
    expect(formatMoney({ amount: 1234, currency: 'KWD' })).toBe('1.234 KWD');
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.constantFrom(...currencies), (amount, currency) => {
        const [text] = formatMoney({ amount, currency }).split(' ');
        expect(BigInt(text!.replace('.', ''))).toBe(BigInt(amount));
      }),
    );
  });
});
