/**
 * What a PSP writes for people may quote what we sent it, or be an error page. What we store and
 * show is short, plain, and free of secrets and of anything that looks like a card number.
 */

/** The longest text of a PSP that is kept. */
export const LONGEST_MESSAGE = 200;

const REMOVED = '[removed]';

const SECRETS: readonly RegExp[] = [
  // Stripe: API keys, webhook secrets, client secrets, tokens of payment methods
  /\b(?:sk|rk|pk|whsec)_[\w*]{4,}/g,
  /\b(?:pi|seti)_\w+_secret_\w+/g,
  /\b(?:pm|tok|card|src|ctoken)_\w+/g,
  // Adyen: API keys, client-side encrypted card data
  /\bAQE[\w+/=-]{20,}/g,
  /\badyen(?:js|an|ios)_\S+/g,
  /\b(?:Bearer|Basic)\s+[\w+/=.:-]+/gi,
];

/** 12 to 19 digits of any script, however set apart. No checksum: better one id too many. */
const CARD_LIKE = /(?<![\p{L}\p{Nd}])\p{Nd}(?:[ .\-/_\u2010-\u2015]?\p{Nd}){11,18}(?![\p{L}\p{Nd}])/gu;

const HTML = /<\s*\/?\s*[a-z!][^]*?>/i;

/** A PSP's text made fit to keep; `secrets` are literal strings that must not survive. */
export function scrub(text: string, secrets: readonly string[] = []): string {
  // NFKC: full-width digits are digits. What cannot be seen goes, so that it hides nothing.
  let clean = text
    .slice(0, 4_096)
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (HTML.test(clean)) return 'An HTML page was answered';
  for (const secret of secrets) {
    if (secret.length >= 4) clean = clean.replaceAll(secret, REMOVED);
  }
  for (const pattern of SECRETS) clean = clean.replace(pattern, REMOVED);
  clean = clean.replace(CARD_LIKE, REMOVED);
  return clean.length > LONGEST_MESSAGE ? `${clean.slice(0, LONGEST_MESSAGE - 1)}…` : clean;
}
