import {
  choicesOf,
  initialSettings,
  inWords,
  settingKeys,
  settingNames,
  settingsJson,
  settingsOf,
} from './merchant-settings.js';
import { settingValueOf } from './setting-value.js';

it.each(settingKeys)('%s has words for its initial value, and for each that can be chosen', (key) => {
  expect(inWords(key, initialSettings[key])).toMatch(/\S/);
  for (const [text, words] of choicesOf(key) ?? []) {
    expect(inWords(key, settingValueOf(key, text))).toBe(words);
  }
});

it('takes the settings, and nothing else, out of a row', () => {
  const row = { ...initialSettings, requestRate: 7, name: 'Shop' };
  expect(settingsOf(row)).toEqual({ ...initialSettings, requestRate: 7 });
  expect(Object.keys(settingsJson(row))).toEqual(settingNames);
  expect(settingsJson(row)).toMatchObject({ duplicate_window: 0, payout_recipients: 'any', request_rate: 7 });
});
