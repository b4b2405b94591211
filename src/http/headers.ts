import { parseItem } from 'structured-headers';
import { findCardNumber } from '../core/card-number.js';
import { Problem } from '../core/problem.js';

/** Reading the request headers that mean something to us. Pure. */

export const MAX_KEY_LENGTH = 255;
const MAX_WAIT_S = 60;
const PRINTABLE = /^[\x20-\x7e]+$/;
/** RFC 6750: b64token: an API key, or a signed token of a service. Bounded, because it is hashed. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]{1,4096}={0,2})$/i;

/** One answer for everything that may be wrong with credentials: an attacker learns nothing from it. */
export function unauthorized(): Problem {
  return new Problem('unauthorized', 'Send a valid API key as "Authorization: Bearer <key>".');
}

/** The same for operators, who have no API keys. */
export function operatorUnauthorized(): Problem {
  return new Problem('unauthorized', 'Send the token for operators as "Authorization: Bearer <token>".');
}

export function bearerOf(header: string | undefined): string {
  const bearer = BEARER.exec(header ?? '')?.[1];
  if (bearer === undefined) throw unauthorized();
  return bearer;
}

/**
 * The key that a money-moving request carries: bare, or as a quoted string of RFC 8941 as the IETF's
 * Idempotency-Key draft writes it; `abc` and `"abc"` are the same key. `lines` is how often the
 * header came: two keys would be two requests.
 */
export function idempotencyKeyOf(header: string | undefined, lines = 1): string {
  if (header === undefined) {
    throw new Problem('idempotency_key_missing', 'Send a new Idempotency-Key with every new request.');
  }
  const key = header.startsWith('"') ? unquoted(header) : header;
  if (lines > 1) throw invalidKey('came more than once');
  if (key === null) throw invalidKey('starts with a quote and is no quoted string of RFC 8941');
  if (key.length > MAX_KEY_LENGTH) throw invalidKey(`is longer than ${MAX_KEY_LENGTH} characters`);
  if (!PRINTABLE.test(key)) throw invalidKey('must be 1 to 255 printable ASCII characters');
  if (findCardNumber(key)) {
    throw new Problem(
      'card_number_refused',
      'The Idempotency-Key looks like a card number. It was not kept or logged.',
    );
  }
  return key;
}

function invalidKey(what: string): Problem {
  return new Problem('idempotency_key_invalid', `The Idempotency-Key ${what}.`);
}

function unquoted(header: string): string | null {
  try {
    const [value] = parseItem(header);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/**
 * `Prefer: wait=<seconds>` (RFC 7240) in whole seconds, at most 60; 0 where it is absent. What cannot
 * be read is passed over, as the RFC wants it.
 */
export function waitSecondsOf(header: string | undefined): number {
  if (header === undefined) return 0;
  const written = /(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:$|[,;])/i.exec(header)?.[1];
  return Math.min(Number(written ?? 0), MAX_WAIT_S);
}

export const MAX_DEADLINE_MS = 60_000;

/**
 * `Payonce-Deadline`: how long the caller waits for the outcome, in ms from now; null where it is
 * absent. No other PSP is asked later than that. A number that cannot be read is refused, since the
 * caller counts on it.
 */
export function deadlineMsOf(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,6}$/.test(header) ? Number(header) : 0;
  if (ms >= 1 && ms <= MAX_DEADLINE_MS) return ms;
  const message = `must be 1 to ${MAX_DEADLINE_MS}, in ms`;
  throw new Problem('validation_failed', `The Payonce-Deadline header ${message}.`, {
    errors: [{ pointer: 'Payonce-Deadline', message }],
  });
}

/** Whether a Content-Type is JSON in UTF-8, the only encoding that RFC 8259 knows. */
export function isJson(contentType: string): boolean {
  return (
    contentType === 'application/json' || /^application\/json *(; *charset="?utf-8"? *)?$/i.test(contentType)
  );
}
