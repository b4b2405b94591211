import * as fc from 'fast-check';
import { cpuMsOf } from '../../test/support/adversarial-texts.js';
import { runs } from '../../test/support/property-runs.js';
import { uuidv7 } from './ids.js';
import { findCardNumber, isCardNumber, maskCardNumbers } from './card-number.js';

function withCheckDigit(body: string): string {
  for (let check = 0; check < 10; check++) {
    let sum = 0;
    const digits = `${body}${check}`;
    for (let i = 0; i < digits.length; i++) {
      const digit = Number(digits[digits.length - 1 - i]);
      sum += i % 2 === 0 ? digit : [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit]!;
    }
    if (sum % 10 === 0) return digits;
  }
  throw new Error('no check digit');
}

const issuers: readonly (readonly [prefix: string, length: number])[] = [
  ['4', 13],
  ['4', 16],
  ['4', 19],
  ['51', 16],
  ['55', 16],
  ['2221', 16],
  ['2720', 16],
  ['34', 15],
  ['37', 15],
  ['6011', 16],
  ['644', 16],
  ['65', 19],
  ['300', 14],
  ['36', 14],
  ['38', 16],
  ['3528', 16],
  ['3589', 16],
  ['62', 16],
  ['62', 19],
  ['5018', 12],
  ['6759', 13],
  ['6763', 19],
];

/** A number that an issuer could have handed out. */
const cardNumber = fc
  .constantFrom(...issuers)
  .chain(([prefix, length]) =>
    fc
      .bigInt({ min: 0n, max: 10n ** BigInt(length - 1 - prefix.length) - 1n })
      .map((rest) => withCheckDigit(prefix + String(rest).padStart(length - 1 - prefix.length, '0'))),
  );

const separators = [
  ' ',
  '-',
  '.',
  '_',
  '/',
  ',',
  ':',
  '*',
  '(',
  ')',
  '+',
  ', ',
  '\u00a0',
  '\u202f',
  '\u2007',
  '\u2013',
  '\u2212',
  '\u200b',
  '\u00ad',
];
const zeros = [0x30, 0xff10, 0x660, 0x6f0, 0x966, 0x1d7ce, 0x1d7d8];

const formatted = fc
  .record({
    digits: cardNumber,
    separator: fc.constantFrom('', ' - ', '\n', ...separators),
    group: fc.integer({ min: 1, max: 6 }),
    zero: fc.constantFrom(...zeros),
    before: fc.constantFrom('', 'card ', 'no:', '(', 'PAN=', '%B', 'x', '+', '卡号'),
    after: fc.constantFrom('', ' 12/30 123', ')', '=3012', ' thanks', 'x', 'A', '^DOE', '。'),
  })
  .map(({ digits, separator, group, zero, before, after }) => {
    const parts = digits.match(new RegExp(`.{1,${group}}`, 'g'))!;
    const shown = parts
      .join(separator)
      .replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
    return { digits, text: `${before}${shown}${after}` };
  })
  // As long as a telephone number of Austria, Sweden or Germany, and with the same beginning.
  .filter(({ digits, text }) => !(text.startsWith('+') && digits.length === 13 && /^4[369]/.test(digits)));

describe('card numbers', () => {
  test.each([
    '4242424242424242',
    '5555 5555 5555 4444',
    '2223003122003222',
    '3782-822463-10005',
    '6011.1111.1111.1117',
    '3056 930902 5904',
    '3566002020360505',
    '6200000000000005',
    '4222222222222',
    '４２４２４２４２４２４２４２４２',
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
    '4242\u00a04242\u202f4242\u20094242',
    '4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣4️⃣2️⃣',
    'please charge 4242 4242 4242 4242, thank you',
    'pan4242424242424242exp1230',
    '%B4242424242424242^DOE/JOHN^3012101',
    '4242 4242 4242 4242 123',
    '12 4242 4242 4242 4242',
    '+378282246310005',
    '+30569309025904',
    '+4222222222222',
    '378282246310005A',
    '30569309025904AB',
    '4242,4242,4242,4242',
    '4242:4242:4242:4242',
    '4242*4242*4242*4242',
    '4242(4242)4242(4242)',
  ])('finds %s', (text) => {
    expect(findCardNumber(text)).not.toBeNull();
  });

  test.each([
    ['an ms timestamp that passes Luhn', '1767225600007'],
    ['a microsecond timestamp', '1767225600000000'],
    ['a nanosecond timestamp', '1767225600000000000'],
    ['a wrong check digit', '4242424242424241'],
    ['a card range with no such length', '42424242424242'],
    ['an Adyen reference', 'NC6HT9CRT65ZGN82'],
    ['an old Adyen reference', '8515131751004933'],
    ['an Adyen stored payment method', '8415718415172204'],
    ['a Stripe token', 'pm_1N4242424242Abc42424242'],
    ['a telephone number', '+4915112345678'],
    ['a telephone number of Austria', '+4366412345678'],
    ['dates in a list', '2026-11-23,2026-11-24,2026-11-25,2026-11-26,2026-11-27'],
    ['times in a list', '22:21:10,22:21:20,22:21:30,22:21:40,22:21:50'],
    ['an RFC 3339 time', '2026-11-21T10:11:12.123456Z'],
    ['a run of twenty digits', '42424242424242420000'],
    ['a UUID', '42424242-4242-7242-8242-424242424242'],
    ['an MD5 digest', '4242424242424242abcdefabcdefabcd'],
    ['nothing', ''],
  ])('lets %s pass', (_what, text) => {
    expect(findCardNumber(text)).toBeNull();
  });

  it('every formatted number of every issuer range is found', () => {
    fc.assert(
      fc.property(formatted, ({ digits, text }) => {
        expect(isCardNumber(digits)).toBe(true);
        expect(findCardNumber(text)).not.toBeNull();
      }),
      runs(5_000),
    );
  });

  it('no UUIDv7 is taken for one, alone, in a key or in a list', () => {
    const uuid = fc
      .tuple(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.uint8Array({ minLength: 10, maxLength: 10 }))
      .map(([time, entropy]) => uuidv7(time, entropy));
    fc.assert(
      fc.property(uuid, uuid, (one, two) => {
        expect(findCardNumber(one)).toBeNull();
        expect(findCardNumber(`payment-${one}-charge`)).toBeNull();
        expect(findCardNumber(`${one.toUpperCase()} ${two}`)).toBeNull();
      }),
      runs(10_000),
    );
  });

  it('no ms timestamp from 2001 to 2286 is taken for one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000_000_000_000, max: 1_799_999_999_999 }), (time) => {
        expect(findCardNumber(String(time))).toBeNull();
      }),
      runs(10_000),
    );
  });

  it('no reference of Adyen is taken for one', () => {
    const alphabet = Array.from('BCDFGHKLMNPQRSTVWXZ23456789');
    const reference = fc.array(fc.constantFrom(...alphabet), { minLength: 16, maxLength: 16 });
    fc.assert(
      fc.property(reference, (letters) => {
        expect(findCardNumber(letters.join(''))).toBeNull();
      }),
      runs(5_000),
    );
  });

  it('masks all of them and leaves the rest', () => {
    expect(maskCardNumbers('a 4242 4242 4242 4242 b 5555555555554444 c', '****')).toBe('a **** b **** c');
    expect(maskCardNumbers('{"t":"4242\\n4242\\n4242\\n4242"}', '****')).toBe('{"t":"****"}');
    expect(maskCardNumbers('nothing 123', '****')).toBe('nothing 123');
    fc.assert(
      fc.property(fc.array(formatted, { maxLength: 4 }), (cards) => {
        expect(findCardNumber(maskCardNumbers(cards.map(({ text }) => text).join('; '), '****'))).toBeNull();
      }),
      runs(3_000),
    );
  });

  it('finds one wherever it stands in a run of many thousand digits', () => {
    const card = '4242 4242 4242 4242';
    for (let before = 480; before < 1_060; before++) {
      const text = `${'77 '.repeat(before)}${card}${' 9'.repeat(before)}`;
      expect(maskCardNumbers(text, '****')).toBe(text.replace(card, '****'));
    }
    const long = '4'.repeat(5_000);
    expect(maskCardNumbers(`${long} ${card} ${long}`, '****')).toBe(`${long} **** ${long}`);
  });

  it('takes 256 kB of the worst texts in a moment', () => {
    for (const text of [
      '4 '.repeat(128_000),
      '4'.repeat(256_000),
      '卡'.repeat(85_000),
      '4242-'.repeat(51_000),
      '4242 4242 4242 4242 '.repeat(12_800),
      '4242 4242 4242 4242 42424242-4242-7242-8242-424242424242 '.repeat(4_500),
      '2026-11-23,'.repeat(23_000),
    ]) {
      expect(cpuMsOf(() => findCardNumber(text))).toBeLessThan(250);
      expect(cpuMsOf(() => maskCardNumbers(text, '****'))).toBeLessThan(250);
    }
  });
});

describe('an IBAN', () => {
  // Finnish and Danish ones have 16 digits; these begin like a Visa's and are right by Luhn as well.
  const finnish = Array.from({ length: 100_000 }, (_, n) => `123456${String(n).padStart(8, '0')}`)
    .map((account) => `FI${String(98n - (BigInt(`${account}151800`) % 97n)).padStart(2, '0')}${account}`)
    .filter((text) => isCardNumber(text.slice(2)));

  it('is let through where its own check digits are right', () => {
    expect(finnish.length).toBeGreaterThan(1_000);
    for (const text of finnish) expect(findCardNumber(`{"iban":"${text}"}`)).toBeNull();
  });

  it.each(['FJ', 'f', '', 'XFI'])('is none where the same digits follow %j', (before) => {
    const card = finnish[0]!.slice(2);
    expect(findCardNumber(`${before}${card}`)).not.toBeNull();
  });
});
