import * as fc from 'fast-check';
import { merchantSettings } from './merchant-settings.js';
import { settingValueOf } from './setting-value.js';

it('takes the text of every value, and null as default where a setting may be unset', () => {
  expect(settingValueOf('duplicateWindowS', '30')).toBe(30);
  expect(settingValueOf('payoutRecipients', 'approved')).toBe('approved');
  expect(settingValueOf('orphans', 'default')).toBeNull();
  expect(settingValueOf('requestRate', 'default')).toBeNull();
  expect(settingValueOf('requestRate', '1000000')).toBe(1_000_000);
});

it.each([
  ['duplicateWindowS', ['', 'default', '-1', '1.5', '86401', '1e3', ' 7', 'soon', 'NaN', '9'.repeat(400)]],
  ['payoutRecipients', ['', 'default', 'Any', 'toString', '__proto__']],
  ['orphans', ['', 'null', 'words', 'constructor']],
  ['requestRate', ['', '0', '-1', '1000001', 'Infinity']],
] as const)('%s takes none of %j, and names itself', (key, texts) => {
  for (const text of texts) {
    const pointer = `/${merchantSettings[key].name}`;
    expect(() => settingValueOf(key, text)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        more: { errors: [expect.objectContaining({ pointer })] },
      }),
    );
  }
});

it('gives a whole number back as it was written, within its bounds alone', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10, max: 2_000_000 }), (n) => {
      for (const key of ['duplicateWindowS', 'requestRate'] as const) {
        const { from, to } = merchantSettings[key].takes;
        if (n >= from && n <= to) expect(settingValueOf(key, String(n))).toBe(n);
        else expect(() => settingValueOf(key, String(n))).toThrow();
      }
    }),
  );
});
