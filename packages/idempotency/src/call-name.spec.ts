import fc from 'fast-check';
import { callName, checkOperation } from './call-name.js';

const word = fc.stringMatching(/^[\x21-\x7e]{1,20}$/);

describe('the name of a call', () => {
  it.each([
    ['order-payment', 'order-123', 'i9y:order-payment:order-123'],
    ['send-receipt', ['customer-7', '2026-03-01'], 'i9y:send-receipt:customer-7:2026-03-01'],
    ['payout', ['recipient-1', '0191'], 'i9y:payout:recipient-1:0191'],
    ['payout', ['a:b', '50%'], 'i9y:payout:a%3Ab:50%25'],
  ])('%s of %j is %s', (operation, key, name) => {
    expect(callName(operation, key)).toBe(name);
  });

  it('is another one for other words', () => {
    const words = fc.array(word, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, words, (a, b) => {
        expect(callName('x', a) === callName('x', b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  it.each([[''], [[]], [['a', '']], ['a b'], ['a\n'], ['ü'], ['\ud800'], ['a'.repeat(256)]])(
    'is refused for %j',
    (key) => {
      expect(() => callName('x', key)).toThrow(expect.objectContaining({ code: 'idempotency_key_invalid' }));
    },
  );

  it.each(['', 'a:b', 'Charge', '-a', 'a-', 'a--b', 'a'.repeat(65)])(
    'has no operation like %j',
    (operation) => {
      expect(() => checkOperation(operation)).toThrow(RangeError);
    },
  );
});
