import * as fc from 'fast-check';
import { MAX_MESSAGE_LENGTH, pspText } from './psp-text.js';

describe('pspText', () => {
  it.each([
    ['a card number', 'card 4242424242424242 was declined', '4242424242424242'],
    ['set apart', 'card 4242 4242 4242 4242', '4242 4242'],
    ['with dashes', 'card 3782-822463-10005', '822463'],
    ['in full-width digits', 'card 4242424242424242', '4242424242424242'],
    ['in Arabic digits', 'card ٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢', '٤٢٤٢'],
    ['with joiners between', 'card 42\u200b42424242\u200d42424242', '4242'],
    ['an API key', 'Invalid API Key provided: sk_test_4eC39HqLyjW', 'sk_test'],
    ['a client secret', 'see pi_3Abc_secret_Xyz', 'secret_Xyz'],
    ['a payment method', "No such PaymentMethod: 'pm_1Abcdef'", 'pm_1Abcdef'],
    ['encrypted card data', 'adyenjs_0_1_25$abc is not valid', 'abc'],
    ['a bearer token', 'Bearer abcdef.ghi', 'abcdef'],
    ['a secret of the account', 'hunter22 was refused', 'hunter22'],
  ])('removes %s', (_, text, gone) => {
    const clean = pspText(text, ['hunter22']);
    expect(clean).not.toContain(gone);
    expect(clean).toContain('[removed]');
  });

  it('keeps what people need', () => {
    const text = 'Amount must be at least 50 in the smallest unit (payment-0192ab-charge, code 704)';
    expect(pspText(text)).toBe(text);
  });

  it('tells of a page instead of keeping it', () => {
    expect(pspText('<!DOCTYPE html><html><body>502 Bad Gateway</body></html>')).toBe(
      'An HTML page was answered',
    );
    expect(pspText('<script>alert(1)</script>')).not.toContain('<');
  });

  it('is short, and one line, whatever comes in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 6_000 }), (text) => {
        const clean = pspText(text);
        expect(clean.length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH);
        expect(clean).not.toMatch(/[\p{Cc}]/u);
      }),
    );
  });

  it.each([0, 1, 2, 3])('looks at 2 kB, and keeps no word that its end cuts in two (%i)', (shift) => {
    const secret = `held${'x9'.repeat(98)}`;
    const text = `${'-'.repeat(shift)}${`${secret} `.repeat(12)}`;
    expect(pspText(text, [secret])).not.toContain('held');
    expect(pspText('unbroken'.repeat(1_000))).toBe('');
  });

  it('leaves no 12 to 19 digits in a row', () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 12, maxLength: 19 });
    fc.assert(
      fc.property(digits, fc.constantFrom('', ' ', '-', '.'), (number, separator) => {
        expect(pspText(`card ${number.join(separator)}!`)).toBe('card [removed]!');
      }),
    );
  });
});
