import { maskCardNumbers } from './card-number.js';

/**
 * The redactor: the last filter in front of logs, errors that are kept, audit records, and what PSPs answer.
 * Nothing secret should get this far; every text passes it all the same, because a stack trace or a PSP's
 * message can quote anything. It removes
 *
 * 1. the secrets that this process holds (`holdSecrets`) and those that the caller names, literally;
 * 2. all that has the shape of a secret: see `SHAPES`;
 * 3. card numbers (card-number.ts).
 *
 * PSP codes such as `card_declined` are no secrets, nor are ids of payments, charges and refunds.
 */
export const REMOVED = '[removed]';

/** What keys and tokens are made of: base64 in both alphabets, stars of a masked key, escapes of URLs and JSON. */
const BODY = String.raw`(?:[\w+/=*~-]|%[0-9A-Fa-f]{2}|\\/)`;

/** Each is looked for in the whole text: two secrets that touch match as one, or each as a part of the other. */
const SHAPES: readonly RegExp[] = [
  // API keys of ours, webhook secrets of ours and of Stripe's
  RegExp(`(?:po_(?:live|test)|whsec)_${BODY}{3,}`, 'g'),
  // Stripe: keys, and tokens with test tokens such as pm_card_visa
  RegExp(`(?:[srp]k_(?:live|test)|(?<![A-Za-z0-9])(?:[srp]k|pm|tok|src|ctoken))_${BODY}{3,}`, 'g'),
  // Adyen: API keys, whose last part is made of any signs, and card data encrypted in a browser
  /AQE[\w+/=-]{20,}[^\s"]*/g,
  /adyen(?:js|an|ios)_[^\s"]+/g,
  // Stripe: secrets for a customer's browser
  RegExp(String.raw`(?:pi|seti)_\w{1,80}?_secret_${BODY}+`, 'g'),
  // Stripe: tokens by the shape of their ids, wherever they stand. A code has no digit in its first word.
  /(?:pm|tok|src|card|ba|btok|ctoken)_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{14,}/g,
  // User and password in a URL
  /(?<=:\/\/)[^\s"<>]{1,512}@/g,
  // Signed tokens (JWT): their first part begins with {" in base64
  /eyJ[\w-]{8,512}\.[\w-]{1,4096}\.[\w-]*/g,
  // HTTP credentials
  RegExp(String.raw`(?:(?:bearer|basic)(?:\s|%20|\\[nrt])+)+(?:${BODY}|[.:]){6,}`, 'gi'),
];

/** Shorter ones are words that other texts contain too; those that a caller names may be this short. */
const SHORTEST_HELD = 16;
const SHORTEST_NAMED = 4;

const held = new Set<string>();
let heldPattern: RegExp | null = null;

/** From now on none of these is written anywhere by this process. */
export function holdSecrets(secrets: Iterable<string | null | undefined>): void {
  for (const secret of secrets) {
    if (typeof secret !== 'string' || secret.length < SHORTEST_HELD) continue;
    for (const form of formsOf(secret)) held.add(form);
  }
  heldPattern = patternOf(held);
}

/** The text without secrets and card numbers; `secrets` are further ones that must not survive. */
export function redact(text: string, secrets: readonly string[] = []): string {
  return maskCardNumbers(removeSecrets(text, secrets), REMOVED);
}

export function removeSecrets(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  if (secrets.length > 0) {
    // A text that is shorter than a secret holds none of its forms; most codes of PSPs are.
    const fitting = secrets.filter(({ length }) => length >= SHORTEST_NAMED && length <= text.length);
    const named = patternOf(fitting.flatMap(formsOf));
    if (named) clean = clean.replace(named, REMOVED);
  }
  if (heldPattern) clean = clean.replace(heldPattern, REMOVED);
  return withoutShapes(clean);
}

function withoutShapes(text: string): string {
  const matches: { readonly from: number; readonly to: number }[] = [];
  for (const shape of SHAPES) {
    text.replace(shape, (match, from: number) => {
      matches.push({ from, to: from + match.length });
      return match;
    });
  }
  let clean = '';
  let end = 0;
  for (const { from, to } of matches.toSorted((a, b) => a.from - b.from)) {
    if (from > end || clean === '') clean += text.slice(end, from) + REMOVED;
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}

/** How much of a text is looked at where only its beginning is kept: what is removed may be long. */
export const MAX_READ_LENGTH = 262_144;

/** One line of at most `longest` characters, redacted before it is cut. */
export function redactedLine(text: string, longest: number, secrets: readonly string[] = []): string {
  // Both before and after: a secret may be broken by a line break, or hold blanks.
  const read = redact(text.slice(0, MAX_READ_LENGTH), secrets);
  const plain = read.replaceAll(/[\p{Cc}\s]+/gu, ' ');
  const line = (plain === read ? read : redact(plain, secrets)).trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** All texts in what is kept as JSON, redacted; its numbers and names stay. */
export function redactDeep(value: unknown): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map(redactDeep);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactDeep(each)]));
}

/** As it is, as JSON escapes it, as a URL does (which cannot hold a lone surrogate). */
function formsOf(secret: string): string[] {
  const inUrl = /\p{Surrogate}/u.test(secret) ? secret : encodeURIComponent(secret);
  return [secret, JSON.stringify(secret).slice(1, -1), inUrl];
}

/** The longest first: one secret may be the beginning of another. */
function patternOf(forms: Iterable<string>): RegExp | null {
  const literals = [...new Set(forms)]
    .toSorted((a, b) => b.length - a.length)
    .map((form) => form.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`));
  return literals.length > 0 ? new RegExp(literals.join('|'), 'gi') : null;
}
