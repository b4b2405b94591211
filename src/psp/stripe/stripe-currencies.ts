import { type Money } from '../../core/money.js';
import { fromPspUnits, toPspUnits } from '../minor-units.js';

/**
 * Which currencies Stripe takes and in what units.
 * Source: https://docs.stripe.com/currencies (read 2026-11).
 *
 * UGX is left out although Stripe takes it: the page lists it both as a zero-decimal currency and
 * as one to be sent in hundredths. Believing the wrong half would charge a hundredfold.
 */
export const stripeCurrencies: readonly string[] = (
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF ' +
  'CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG ' +
  'HUF IDR ILS INR ISK JMD JOD JPY KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD ' +
  'MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON ' +
  'RSD RWF SAR SBD SCR SEK SGD SHP SOS SRD SZL THB TJS TND TOP TRY TTD TWD TZS UAH USD UYU UZS VND VUV ' +
  'WST XAF XCD XOF XPF YER ZAR ZMW'
).split(' ');

/**
 * Decimals where Stripe's differ from ISO 4217. ISK is sent in hundredths that are always 00
 * ("special cases"); MGA has none at Stripe ("zero-decimal currencies"), two in ISO.
 * HUF and TWD are special for payouts only (below).
 */
const EXPONENTS = { ISK: 2, MGA: 0 };

/** "These API calls require the least-significant (last) digit to be 0" (three-decimal currencies). */
const LAST_DIGIT_ZERO: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);

/** The number Stripe is sent for this money; null where Stripe cannot represent it exactly. */
export function toStripeAmount(money: Money): number | null {
  if (LAST_DIGIT_ZERO.has(money.currency) && money.amount % 10 !== 0) return null;
  return toPspUnits(money, EXPONENTS);
}

/**
 * "Stripe treats [HUF, TWD] as a zero-decimal currency for payouts, even though you can charge
 * two-decimal amounts": sent in hundredths, whose last two digits must be 00.
 */
const WHOLE_IN_PAYOUTS: ReadonlySet<string> = new Set(['HUF', 'TWD']);

/** The number Stripe is sent to pay this out; null where Stripe cannot represent it exactly. */
export function toStripePayoutAmount(money: Money): number | null {
  const amount = toStripeAmount(money);
  return amount !== null && WHOLE_IN_PAYOUTS.has(money.currency) && amount % 100 !== 0 ? null : amount;
}

/** The money that Stripe's number means; null where it is no whole number of our units. */
export function fromStripeAmount(amount: number, currency: string): Money | null {
  return fromPspUnits(amount, currency, EXPONENTS);
}
