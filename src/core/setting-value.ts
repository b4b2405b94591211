import {
  choicesOf,
  isWholeNumbers,
  type MerchantSettings,
  type SettingKey,
  settingOf,
} from './merchant-settings.js';
import { Problem } from './problem.js';

/** @throws Problem `validation_failed` where the text is no value of the setting */
export function settingValueOf<Key extends SettingKey>(key: Key, text: string): MerchantSettings[Key] {
  const { name, takes, whenUnset } = settingOf(key);
  if (text === 'default' && whenUnset !== undefined) return null as MerchantSettings[Key];
  if (!isWholeNumbers(takes)) {
    if (Object.hasOwn(takes, text)) return text as MerchantSettings[Key];
    throw unfit(name, `one of ${[...choicesOf(key)!.keys()].join(', ')}`);
  }
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= takes.from && value <= takes.to) return value as MerchantSettings[Key];
  throw unfit(
    name,
    `whole numbers from ${takes.from} to ${takes.to}${whenUnset === undefined ? '' : ', or default'}`,
  );
}

function unfit(name: string, message: string): Problem {
  return new Problem('validation_failed', `${name} takes ${message}`, {
    errors: [{ pointer: `/${name}`, message }],
  });
}
