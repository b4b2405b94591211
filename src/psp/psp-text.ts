import { redactedLine, removeSecrets } from '../core/redact.js';

/**
 * A PSP's text for people may quote what we sent it, or be an error page. The part that is kept and shown
 * is short, plain, and without secrets and what may be a card number.
 */

/** The longest text of a PSP that is kept. */
export const MAX_MESSAGE_LENGTH = 200;

/** Characters of a PSP's text that are read, before it is redacted. */
const MAX_READ_LENGTH = 2_048;

/** 12 to 19 digits of any script, however set apart. No checksum: better one id too many. */
const CARD_LIKE = /(?<![\p{L}\p{Nd}])\p{Nd}(?:[ .\-/_\u2010-\u2015]?\p{Nd}){11,18}(?![\p{L}\p{Nd}])/gu;

const TAG = /<\s*(?:\/\s*)?[a-z!]/i;

/** A PSP's text made fit to keep; `secrets` are literal strings that must not survive. */
export function pspText(text: string, secrets: readonly string[] = []): string {
  // NFKC: full-width digits are digits. What cannot be seen goes, so that it hides nothing.
  const plain = beginningOf(text)
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cs}]/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ');
  const tag = plain.search(TAG);
  if (tag >= 0 && plain.indexOf('>', tag) >= 0) return 'An HTML page was answered';
  return redactedLine(
    removeSecrets(plain, secrets).replace(CARD_LIKE, '[removed]'),
    MAX_MESSAGE_LENGTH,
    secrets,
  );
}

/** The first characters, up to a whole word: half a word may be half a secret. */
function beginningOf(text: string): string {
  if (text.length <= MAX_READ_LENGTH) return text;
  const beginning = text.slice(0, MAX_READ_LENGTH);
  return beginning.slice(0, Math.max(beginning.search(/\s\S*$/), 0));
}
