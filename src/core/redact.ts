import { maskCardNumbers, type TextSpan } from './card-number.js';

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

/** The characters of keys and tokens: base64 in both alphabets, stars of a masked key, escapes of URLs and JSON. */
const BODY = String.raw`(?:[\w+/=*~-]|%[0-9A-Fa-f]{2}|\\/)`;

/**
 * Words that begin a secret, and the run of signs behind them that belongs to it: `shortest` signs or more. In two
 * steps, because one pattern for both reads the same run again for each word in it, which takes quadratic time.
 */
interface Shape {
  readonly begin: RegExp;
  readonly run: RegExp;
  readonly shortest: number;
}

const shape = (begin: RegExp, run: string, shortest: number): Shape => ({
  begin,
  run: RegExp(`${run}*`, 'y'),
  shortest,
});

/** Each is looked for in the whole text: two secrets that touch match as one, or each as a part of the other. */
const SHAPES: readonly Shape[] = [
  // API keys of ours, webhook secrets of ours and of Stripe's
  shape(/(?:po_(?:live|test)|whsec)_/g, BODY, 3),
  // Stripe: keys, and tokens with test tokens such as pm_card_visa
  shape(/(?:[srp]k_(?:live|test)|(?<![A-Za-z0-9])(?:[srp]k|pm|tok|src|ctoken))_/g, BODY, 3),
  // Adyen: API keys, whose last part is made of any signs, and card data encrypted in a browser
  shape(/AQE(?=[\w+/=-]{20})/g, String.raw`[^\s"]`, 20),
  shape(/adyen(?:js|an|ios)_/g, String.raw`[^\s"]`, 1),
  // Stripe: secrets for a customer's browser
  shape(/(?:pi|seti)_\w{1,40}?_secret_/g, BODY, 1),
  // Stripe: tokens by the shape of their ids, wherever they stand. A code has no digit in its first word.
  shape(/(?:pm|tok|src|card|ba|btok|ctoken)_(?=[A-Za-z]{0,40}[0-9])/g, '[A-Za-z0-9]', 14),
  // JSON objects in base64, which begin with {": signed and encrypted tokens (JWT, JWE), wallets' tokens
  shape(/eyJ/g, String.raw`[\w.-]`, 24),
  // HTTP credentials, and sessions of operators
  shape(/(?:(?:bearer|basic)(?:\s|%20|\\[nrt])+)+/gi, `(?:${BODY}|[.:])`, 6),
  shape(/x-api-key[\s"'\\]{0,4}[:=][\s"'\\]{0,4}/gi, `(?:${BODY}|[.:])`, 6),
  shape(/payonce_(?:session|oidc)=/g, `(?:${BODY}|[.:])`, 6),
  // Passwords of operators and links that sign them in; secrets of their authenticators (password.ts, totp.ts)
  shape(/(?:[a-hjkmnp-z]{5}-){5}/g, '[a-z]', 1),
  shape(/[A-Z2-7]{32}/g, '[A-Z2-7]', 0),
  // Private keys (PEM, RFC 7468)
  shape(/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g, '[^"-]', 1),
];

/** An address with its host and all behind it, in which a user and a password may stand before the last @. */
const ADDRESS = /:\/\/[^\s"<>]*/g;

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

/** Adds the spans of the secrets with this shape, each end once, in time that is linear in the text. */
function findShape({ begin, run, shortest }: Shape, text: string, spans: TextSpan[]): void {
  let [end, noted] = [0, 0];
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const from = begin.lastIndex;
    // The begin lies in a run that was read already, so it has the same end.
    if (from > end) {
      run.lastIndex = from;
      run.test(text);
      end = run.lastIndex;
    }
    if (end - from < shortest || end === noted) continue;
    noted = end;
    spans.push({ start: match.index, end });
  }
}

function findPasswords(text: string, spans: TextSpan[]): void {
  ADDRESS.lastIndex = 0;
  for (let match = ADDRESS.exec(text); match; match = ADDRESS.exec(text)) {
    const at = match[0].lastIndexOf('@');
    if (at > 3) spans.push({ start: match.index + 3, end: match.index + at + 1 });
  }
}

function withoutShapes(text: string): string {
  const spans: TextSpan[] = [];
  for (const shape of SHAPES) findShape(shape, text, spans);
  findPasswords(text, spans);
  if (spans.length === 0) return text;
  let clean = '';
  let read = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start > read || clean === '') clean += text.slice(read, start) + REMOVED;
    read = Math.max(read, end);
  }
  return clean + text.slice(read);
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

/** The secret itself, as JSON escapes it, and as a URL does (which cannot hold a lone surrogate). */
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
