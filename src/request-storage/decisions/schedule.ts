import { type CallAttempt, isCall, isOffSchedule } from './attempt.js';
import { type OpenBecause, type OpenEvidence, type RouteHistory } from './assess-route.js';
import { wasSkipped } from './skipped-call.js';
import { type PspAttempt } from '../route.entity.js';

/** The calls for an open route: a lookup, the same request again, a cancel, the details from the customer. */
export type Way = 'lookup' | 'execute' | 'cancel' | 'complete';

/** The call that is due, or when one is; null where none ever is. */
type Due = { readonly way: Way; readonly offSchedule?: true } | { readonly until: Date | null };

export interface ScheduleFacts {
  readonly now: Date;
  /** The time until which the client waits for the answer; no new route is opened later. null = no client waits. */
  readonly deadline: Date | null;
  /** A client waits for the answer: the PSP is also asked outside the schedule, in growing pauses. */
  readonly clientWaiting: boolean;
  /** An operator asks: at least one call after this attempt, regardless of the pauses. */
  readonly operatorAskedAfter?: number | undefined;
  /** That call is a lookup, and nothing else is sent. */
  readonly operatorLooksUp?: boolean | undefined;
  /** When the PSP last answered after failures; null if it never did. */
  readonly backAt?: (psp: string) => Date | null;
}

/**
 * The pauses between the rounds of an open route (docs/adr/0005). The rounds are at fixed times after the doubt
 * began, so that other calls do not use them up.
 */
const SCHEDULE_MS: readonly number[] = [
  10_000,
  30_000,
  2 * 60_000,
  5 * 60_000,
  15 * 60_000,
  60 * 60_000,
  3 * 3_600_000,
  6 * 3_600_000,
  12 * 3_600_000,
  24 * 3_600_000,
];

/** A PSP that is back is asked about all of its open routes within this time: each has a moment of its own in it. */
export const BACK_WITHIN_MS = 60_000;

/**
 * Pauses of calls that clients cause outside the schedule: 1, 2, 4 … 30 s after the last call, however many clients
 * ask. After five minutes without one they start at 1 s again.
 */
const FIRST_SPACING_MS = 1_000;
const MAX_SPACING_MS = 30_000;
/** A customer is at the bank and comes back any moment. */
const MAX_SPACING_FOR_CUSTOMER_MS = 5_000;
const SPACING_MEMORY_MS = 5 * 60_000;
/** After so many such calls, clients cause one an hour. */
const MAX_QUICK_ASKS = 200;
const SLOW_SPACING_MS = 3_600_000;
/** If a PSP offers lookups, a resend postpones a final "not found", so clients cause only this many. */
const MAX_RESENDS_OFF_SCHEDULE = 3;

/**
 * Follow-ups come in rounds: each way to learn once, one after the other. The time since the doubt began decides
 * which round is due. The next round replaces missed ones, and a call that a client caused outside the schedule
 * does not count.
 */
export function dueOnSchedule(
  current: RouteHistory,
  { why, since }: OpenEvidence,
  ways: readonly Way[],
  facts: ScheduleFacts,
  answersWithinMs?: number,
): Due {
  if (ways.length === 0 && isDoubt(why)) return { until: null };
  const now = facts.now.getTime();
  const own = withinTerm(roundsOf(current, why, since), why, lastSignOf(since), answersWithinMs);
  const hinted = withRound(own, current.request.hintedAt, since);
  const rounds = isDoubt(why) ? withReturn(hinted, current, since, facts) : hinted;
  const due = rounds.findLast((at) => at <= now);
  const next = rounds.find((at) => at > now);

  const calls = current.attempts.filter(isCall).filter((a) => a.attempt > since.attempt);
  const isMade = (way: Way) =>
    calls.some((a) => a.kind === way && !isOffSchedule(a) && !wasSkipped(a) && lastSignOf(a) >= due!);
  const scheduled = due === undefined ? undefined : ways.find((way) => !isMade(way));
  const isTooLate = facts.clientWaiting && facts.deadline !== null && facts.now >= facts.deadline;
  // The client has waited long enough; a worker continues at once.
  if (scheduled) return isTooLate ? { until: facts.now } : { way: scheduled };
  const extra = isTooLate ? null : wayOffSchedule(current, calls, why, ways, facts);
  if (extra) return { way: extra, offSchedule: true };
  return { until: next === undefined ? null : new Date(next) };
}

/** When each round is due, in ms since the epoch: the first at once if the PSP will not notify us. */
function roundsOf({ request }: RouteHistory, why: OpenBecause, since: PspAttempt): readonly number[] {
  let at = lastSignOf(since);
  const rounds = isDoubt(why) ? [at] : [];
  for (const [round, ms] of SCHEDULE_MS.entries()) {
    at += jittered(`${round} ${request.pspIdempotencyKey}`, ms);
    rounds.push(at);
  }
  return rounds;
}

/** One more round if the PSP was away since and is back. */
function withReturn(
  rounds: readonly number[],
  { request }: RouteHistory,
  since: PspAttempt,
  { backAt }: ScheduleFacts,
): readonly number[] {
  const back = backAt?.(request.psp)?.getTime() ?? -Infinity;
  if (back <= lastSignOf(since)) return rounds;
  const at = back + jittered(`back ${request.pspIdempotencyKey}`, BACK_WITHIN_MS);
  return withRound(rounds, new Date(at), since);
}

/** One more round at this time, if it is after the doubt began. */
function withRound(
  rounds: readonly number[],
  at: Date | null | undefined,
  since: PspAttempt,
): readonly number[] {
  if (!at || at.getTime() <= lastSignOf(since)) return rounds;
  return [...rounds, at.getTime()].toSorted((a, b) => a - b);
}

const DAY_MS = 24 * 3_600_000;

/** A PSP with a deadline for its result is asked once a day until then, and once more at the deadline. */
function withinTerm(
  rounds: readonly number[],
  why: OpenBecause,
  since: number,
  answersWithinMs: number | undefined,
): readonly number[] {
  if (why !== 'pending' || answersWithinMs === undefined) return rounds;
  const end = since + answersWithinMs;
  const within = rounds.filter((at) => at < end);
  for (let at = (within.at(-1) ?? since) + DAY_MS; at < end; at += DAY_MS) within.push(at);
  return [...within, end];
}

/** The call outside the schedule that a client or an operator causes; null while it is too soon. */
function wayOffSchedule(
  current: RouteHistory,
  calls: readonly CallAttempt[],
  why: OpenBecause,
  ways: readonly Way[],
  { now, clientWaiting, operatorAskedAfter }: ScheduleFacts,
): Way | null {
  const [first] = ways;
  const last = current.attempts.findLast(isCall);
  if (first === undefined || (!clientWaiting && operatorAskedAfter === undefined)) return null;
  if (!last) return first;
  const extra = calls.filter(isOffSchedule);
  const follows = last === extra.at(-1) ? wayAfter(last, extra, ways) : undefined;
  if (follows) return follows;
  if (operatorAskedAfter !== undefined && last.attempt <= operatorAskedAfter) return first;
  if (!clientWaiting) return null;
  const asks = extra.filter((a) => a.kind === first);
  const recent = asks.filter((a) => a.startedAt.getTime() > now.getTime() - SPACING_MEMORY_MS).length;
  const most = why === 'requires_action' ? MAX_SPACING_FOR_CUSTOMER_MS : MAX_SPACING_MS;
  const spacing =
    asks.length < MAX_QUICK_ASKS ? Math.min(FIRST_SPACING_MS * 2 ** recent, most) : SLOW_SPACING_MS;
  return now.getTime() >= lastSignOf(last) + spacing ? first : null;
}

/**
 * The call after `last` in a round outside the schedule. A resend goes only to a PSP that has just answered "not
 * found", and only a limited number of times.
 */
function wayAfter(last: CallAttempt, extra: readonly CallAttempt[], ways: readonly Way[]): Way | undefined {
  const resends = extra.filter((a) => a.kind === 'execute').length;
  const mayFollow = (way: Way) =>
    way !== 'execute' || (last.outcome === 'not_found' && resends < MAX_RESENDS_OFF_SCHEDULE);
  const at = ways.indexOf(last.kind);
  return at < 0 ? undefined : ways.slice(at + 1).find(mayFollow);
}

/** The PSP will not notify us; if a notification is expected, it will. */
function isDoubt(why: OpenBecause): boolean {
  return why === 'doubt' || why === 'undoing';
}

/** The latest known time of a call: its end, or else its start. */
function lastSignOf({ startedAt, endedAt }: PspAttempt): number {
  return (endedAt ?? startedAt).getTime();
}

/**
 * Full jitter, from a hash of a name instead of a random number, so that this stays a function: routes that became
 * doubtful together are not due together. FNV-1a, mixed so that similar names draw independently.
 */
function jittered(name: string, ms: number): number {
  let hash = 2_166_136_261;
  for (const char of name) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  hash = Math.imul(hash ^ (hash >>> 16), 2_246_822_507);
  hash = Math.imul(hash ^ (hash >>> 13), 3_266_489_909);
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 4_294_967_296) * ms);
}
