import { type WaitingIn } from '../database/waiting.js';

/** Lists of what people are told of, the most urgent first. */
export const alertKinds = [
  'stuck',
  'orphans',
  'breaks',
  'disputes',
  'disputes_due',
  'approvals',
  'late_reports',
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Everything that waits for a person in one list. */
export type Waiting = WaitingIn<AlertKind>;

/** The last alert of a list that a channel took. */
export interface Told {
  readonly count: number;
  readonly newestAt: Date | null;
  readonly toldAt: Date;
}

/** `new`: something came since; `reminder`: it still waits; `over`: nothing waits any more. */
export type AlertEvent = 'new' | 'reminder' | 'over';

/** Alerts of one list are so far apart, however much comes: a night with 1,500 stuck operations is no 1,500 messages. */
const APART_MS = 5 * 60_000;
const REMINDED_MS = 4 * 3_600_000;

/**
 * The alert that is due now; null: none. News is what is younger than all that was told, or more than was told: what comes
 * back after a while (a snooze that ends, a break that is opened again) is as old as it was. `told`: null where
 * there was none yet.
 */
export function alertDue(
  { count, newestAt }: Pick<Waiting, 'count' | 'newestAt'>,
  told: Told | null,
  now: Date,
): AlertEvent | null {
  if (count === 0) return told !== null && told.count > 0 ? 'over' : null;
  if (told === null || told.count === 0) return 'new';
  const sinceMs = now.getTime() - told.toldAt.getTime();
  if (sinceMs < APART_MS) return null;
  const isYounger = newestAt !== null && (told.newestAt === null || newestAt > told.newestAt);
  if (isYounger || count > told.count) return 'new';
  return sinceMs >= REMINDED_MS ? 'reminder' : null;
}
