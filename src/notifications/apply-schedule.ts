const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long a notification about an unknown operation waits after each try, in ms: it may have arrived before the
 * answer of its call, or that answer was lost and is being requested. The seconds are for the first case, the hours
 * for the second: a doubt is looked up for a day (SCHEDULE_MS of request storage).
 */
export const APPLY_DELAYS_MS: readonly number[] = [
  2 * SECOND,
  10 * SECOND,
  MINUTE,
  10 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
];

/**
 * How long to wait after try number `tries` (from 0), with full jitter, so that notifications of one outage are not
 * all due at once; null after the last one.
 * @param random in [0, 1)
 */
export function applyDelayMs(tries: number, random: number): number | null {
  const longest = APPLY_DELAYS_MS[tries];
  return longest === undefined ? null : Math.floor(longest * random);
}
