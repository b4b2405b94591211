import { exponentOf, isCurrency } from './money.js';

/** `10.00`, `-3.5`, `1200` as minor units of the currency; null where it is no such number, or holds more decimals. */
export function minorUnits(text: string, currency: string): number | null {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,10}))?$/.exec(text) ?? [];
  if (whole === undefined || !isCurrency(currency)) return null;
  const exponent = exponentOf(currency);
  if (/[^0]/.test(fraction.slice(exponent))) return null;
  const amount = Number(whole + fraction.slice(0, exponent).padEnd(exponent, '0'));
  if (!Number.isSafeInteger(amount)) return null;
  return sign === '-' && amount !== 0 ? -amount : amount;
}
