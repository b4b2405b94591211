const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * How long a notification that speaks of no operation that is known is kept waiting for it, in ms, after
 * each try: it may have overtaken the answer of the very call it is about, or that answer was lost and is
 * being requested. The seconds are for the first, the hours for the second: a doubt is looked into for a
 * day (SCHEDULE_MS of request storage).
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
 * How long to wait after try number `tries` (from 0), with full jitter, so that what one outage gathered
 * does not come back in one moment; null when it was the last one.
 * @param random in [0, 1)
 */
export function applyDelayMs(tries: number, random: number): number | null {
  const longest = APPLY_DELAYS_MS[tries];
  return longest === undefined ? null : Math.floor(longest * random);
}
