export interface Backoff {
  /** The first wait, and the least that is ever waited. In ms. */
  readonly initialDelayMs: number;
  /** The most that is ever waited, unless `Retry-After` asks for more. In ms. */
  readonly maxDelayMs: number;
}

/**
 * How long to wait before the next try, as the clients of Stripe do it: from the initial delay,
 * doubled with each try up to the cap, of that a random share between half and all, so that clients
 * which failed together do not come back together; never less than the initial delay, and never less
 * than the service asked for.
 *
 * @param tries how many there were, 1 or more
 * @param random uniform in [0, 1)
 * @param retryAfterMs what `Retry-After` asked for, null where it was not sent
 * @returns ms
 */
export function delayMs(
  tries: number,
  random: number,
  { initialDelayMs, maxDelayMs }: Backoff,
  retryAfterMs: number | null,
): number {
  const whole = Math.min(initialDelayMs * 2 ** (tries - 1), maxDelayMs);
  const jittered = whole * 0.5 * (1 + random);
  return Math.max(jittered, initialDelayMs, retryAfterMs ?? 0);
}
