import { code as currencyByCode, codes as currencyCodes } from 'currency-codes';

/** An amount in integer minor units (cents, yen, fils) of an ISO 4217 currency. */
export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** The largest amount that JSON, JavaScript and the database all carry exactly: 2^53 - 1. */
export const MAX_AMOUNT = Number.MAX_SAFE_INTEGER;

/**
 * Codes of ISO 4217 that are no money a customer pays with: funds codes, precious metals,
 * settlement units, the test code and "no currency".
 */
const NOT_PAYABLE = /^(X(?!OF|AF|PF|CD|CG)..|BOV|CHE|CHW|CLF|COU|MXV|USN|USS|UYI|UYW)$/;

const exponents = new Map(
  currencyCodes()
    .filter((code) => !NOT_PAYABLE.test(code))
    .map((code) => [code, currencyByCode(code)!.digits] as const),
);

/** Every currency code that is accepted, in capitals. */
export const currencies: readonly string[] = [...exponents.keys()].toSorted();

export function isCurrency(code: string): boolean {
  return exponents.has(code);
}

/** How many decimals the minor unit stands for: 2 for EUR, 0 for JPY, 3 for KWD (ISO 4217 list one). */
export function exponentOf(currency: string): number {
  const exponent = exponents.get(currency);
  if (exponent === undefined) throw new RangeError(`not a currency: ${currency}`);
  return exponent;
}

/** `12.34 EUR`, `1200 JPY`, `1.234 KWD`: for people, in logs and on the console. */
export function formatMoney(money: Money): string {
  return `${decimalOf(money)} ${money.currency}`;
}

/** `12.34`, `1200`, `1.234`: with as many decimals as the currency has. */
export function decimalOf({ amount, currency }: Money): string {
  const exponent = exponentOf(currency);
  const digits = String(Math.abs(amount)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = exponent > 0 ? `.${digits.slice(-exponent)}` : '';
  return `${amount < 0 ? '-' : ''}${whole}${fraction}`;
}
