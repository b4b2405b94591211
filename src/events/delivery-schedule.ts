const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after each failed try the next one is made, in ms: 16 tries over three days. */
export const DELIVERY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  4 * HOUR,
  6 * HOUR,
  8 * HOUR,
  10 * HOUR,
  12 * HOUR,
  24 * HOUR,
];

/** The first one included. */
export const MAX_TRIES = DELIVERY_DELAYS_MS.length + 1;

/** A tenth earlier to a tenth later, so that deliveries that failed together are not due together. */
const JITTER = 0.2;
/** The longest pause, even if the endpoint asked for more. */
export const MAX_RETRY_AFTER_MS = 24 * HOUR;

/**
 * How long after the `tries`-th failed try the next one is made, in ms; null after the last one. Never sooner than
 * the endpoint asked for. On average the tries take as long as the plain delays.
 * @param random in [0, 1)
 */
export function delayAfter(tries: number, retryAfterMs: number | null, random: number): number | null {
  const delay = DELIVERY_DELAYS_MS[tries - 1];
  if (delay === undefined) return null;
  return Math.max(Math.round(delay * (1 - JITTER / 2 + JITTER * random)), retryAfterMs ?? 0);
}

/**
 * The delay that a Retry-After header asks for, in ms from now: seconds, or a date (RFC 9110, section 10.2.3). null
 * where it says nothing that can be read.
 */
export function retryAfterMsOf(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
