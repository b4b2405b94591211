import { exponentOf, isCurrency, type Money } from '../core/money.js';

/**
 * Amounts between ISO 4217 (ours) and a PSP that counts some currencies in other units. A PSP that
 * takes 2 decimals where ISO has none is sent a hundredfold number for the same money; an amount
 * that the PSP's units cannot express is refused, never rounded.
 */
type PspExponents = Readonly<Record<string, number>>;

/** The number to send for this money, or null where the PSP's units cannot express it. */
export function toPspUnits(money: Money, exceptions: PspExponents): number | null {
  const shift = shiftOf(money.currency, exceptions);
  const amount = shift >= 0 ? money.amount * 10 ** shift : money.amount / 10 ** -shift;
  return Number.isSafeInteger(amount) ? amount : null;
}

/** The money that a PSP's number means, or null where it is not a whole number of our units. */
export function fromPspUnits(amount: number, currency: string, exceptions: PspExponents): Money | null {
  const code = currency.toUpperCase();
  if (!isCurrency(code) || !Number.isSafeInteger(amount)) return null;
  const shift = shiftOf(code, exceptions);
  const ours = shift >= 0 ? amount / 10 ** shift : amount * 10 ** -shift;
  return Number.isSafeInteger(ours) ? { amount: ours, currency: code } : null;
}

function shiftOf(currency: string, exceptions: PspExponents): number {
  return (exceptions[currency] ?? exponentOf(currency)) - exponentOf(currency);
}
