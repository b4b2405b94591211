import { type Capabilities } from '../psp/index.js';
import { isCall } from './attempt.js';
import {
  type Evidence,
  firstSentAt,
  type FlightTime,
  isFence,
  type RouteStory,
  weigh,
  WINDOW_MARGIN_MS,
} from './evidence.js';
import { type PspAttempt } from './psp-request.entity.js';

/**
 * Which PSP may this operation be sent to now? The one question that decides whether somebody is
 * charged twice, answered by one function without I/O from the routes, their attempts, what the
 * PSPs promise, the time and the deadline. The rules it keeps stand in docs/ARCHITECTURE.md;
 * next-step.spec.ts holds each as a property.
 */
export type Step =
  /** Money moved, or will. */
  | { readonly do: 'finish'; readonly by: PspAttempt }
  /** No PSP did it and none is left to ask. */
  | { readonly do: 'fail'; readonly evidence: RuledOut }
  /** Call the PSP of the open route: again with the same key, to ask, or to void. */
  | { readonly do: 'execute' | 'lookup' }
  /** `fence`: to void what may be there, so that another PSP can be asked. */
  | { readonly do: 'cancel'; readonly fence: boolean }
  /** Open the next route: another PSP, or the same one under a fresh key. */
  | { readonly do: 'open'; readonly psp: string; readonly evidence: RuledOut }
  /** Nothing to do before `until`, and why. */
  | { readonly do: 'wait'; readonly until: Date; readonly why: string }
  /** The budget is spent: a person is needed. The route stays open and bound. */
  | { readonly do: 'stuck'; readonly why: string };

export type RuledOut = Extract<Evidence, { verdict: 'ruled_out' }>;
type Open = Extract<Evidence, { verdict: 'open' }>;
type Way = 'lookup' | 'execute' | 'cancel';

export interface StepFacts extends FlightTime {
  readonly now: Date;
  /** Until when somebody waits for the answer; no new route is opened later. null = nobody waits. */
  readonly deadline: Date | null;
  readonly capabilities: (psp: string) => Capabilities;
  /** PSP accounts that may be asked, best first. */
  readonly candidates: readonly string[];
  /** Somebody asks right now: what may be done is done at once, whatever the schedule says. */
  readonly asked: boolean;
  /** 'cancel': the merchant no longer wants it; void it where that is possible. */
  readonly wish: 'finish' | 'cancel';
  /** The routing rule allows to cancel a charge in doubt and to fail over on the PSP's acknowledgement. */
  readonly fence: boolean;
}

/** When an open route is looked at again, counted from its last attempt (docs/adr/0005). */
export const SCHEDULE_MS: readonly number[] = [
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

/** Routes per operation: every candidate once, and a few fresh keys. */
export const MOST_ROUTES = 12;
/** Attempts per route; beyond it the route is stuck. */
export const MOST_ATTEMPTS = 60;
/** However often a client asks, a PSP is not asked about one payment more than once a second. */
const ASK_SPACING_MS = 1_000;

export function nextStep(routes: readonly RouteStory[], facts: StepFacts): Step {
  const current = routes.at(-1);
  if (!current) throw new RangeError('an operation without a route has no next step');
  const can = facts.capabilities(current.request.psp);
  const evidence = weigh(current, can, facts);
  switch (evidence.verdict) {
    case 'effective':
      return { do: 'finish', by: evidence.by };
    case 'ruled_out':
      return afterRuledOut(routes, evidence, facts);
    case 'open':
      return whileOpen(routes, current, evidence, can, facts);
  }
}

/** It is proved that this PSP did nothing. May another be asked, or the same one afresh? */
function afterRuledOut(routes: readonly RouteStory[], evidence: RuledOut, facts: StepFacts): Step {
  const fail: Step = { do: 'fail', evidence };
  if (facts.wish === 'cancel' || evidence.advice !== 'elsewhere') return fail;
  if (!facts.deadline || facts.now >= facts.deadline || routes.length >= MOST_ROUTES) return fail;
  const tried = new Set(routes.map(({ request }) => request.psp));
  const next = facts.candidates.find((psp) => !tried.has(psp));
  if (next) return { do: 'open', psp: next, evidence };
  // Rotation: the only PSP knows nothing of it, but remembers our key (with a stored error).
  const { request } = routes.at(-1)!;
  const rotates =
    evidence.kind === 'lookup_final' && evidence.untouched && facts.candidates.includes(request.psp);
  return rotates ? { do: 'open', psp: request.psp, evidence } : fail;
}

function whileOpen(
  routes: readonly RouteStory[],
  current: RouteStory,
  evidence: Open,
  can: Capabilities,
  facts: StepFacts,
): Step {
  if (evidence.why === 'conflict') return { do: 'stuck', why: 'the PSP holds another amount or currency' };
  if (current.attempts.filter(isCall).length >= MOST_ATTEMPTS)
    return { do: 'stuck', why: 'too many attempts' };
  if (evidence.why === 'throttled') return afterThrottle(routes, current, evidence, can, facts);
  if (
    facts.wish === 'cancel' &&
    mayCancel(current, can) &&
    !current.attempts.some((a) => a.kind === 'cancel')
  ) {
    return { do: 'cancel', fence: false };
  }
  if (mayFence(current, evidence, can, facts)) return { do: 'cancel', fence: true };
  return onSchedule(current, evidence, waysOn(current, evidence, can, facts), can, facts);
}

/**
 * A charge that is still in doubt after every way to learn was tried once, while somebody waits and
 * another PSP could be asked. Only where the PSP can void by our reference: nothing else is known.
 */
function mayFence(current: RouteStory, { why, since }: Open, can: Capabilities, facts: StepFacts): boolean {
  const { request, attempts } = current;
  if (!facts.fence || why !== 'doubt' || facts.wish === 'cancel' || can.cancel !== 'reference') return false;
  // A charge has taken the money by the time that a mere order to void is carried out.
  const voidable =
    request.operation === 'authorize' || (request.operation === 'charge' && !can.cancelIsOrder);
  if (!voidable) return false;
  if (!facts.deadline || facts.now >= facts.deadline) return false;
  if (attempts.some((a) => a.kind === 'cancel')) return false;
  const ways = waysOn(current, { verdict: 'open', why, since }, can, facts);
  const tried = attempts.filter((a) => a.attempt > since.attempt).map(({ kind }) => kind);
  return ways.every((way) => tried.includes(way)) && facts.candidates.some((psp) => psp !== request.psp);
}

function waysOn(current: RouteStory, { why }: Open, can: Capabilities, facts: StepFacts): readonly Way[] {
  const ask = waysToAsk(current, can);
  switch (why) {
    case 'doubt':
      // What can tell us about a call in doubt: asking, and sending the same again under the same key.
      return mayResend(current, can, facts.now) ? [...ask, 'execute'] : ask;
    case 'undoing':
      // Undoing what is undone does nothing more, and is answered with a word about now.
      return mayCancel(current, can) ? ['cancel', ...ask] : ask;
    default:
      return ask;
  }
}

function waysToAsk({ request }: RouteStory, { lookup }: Capabilities): readonly 'lookup'[] {
  return lookup && (lookup.by === 'reference' || request.pspReference !== null) ? ['lookup'] : [];
}

/**
 * Sending again is harmless only where the PSP replays whatever it did for this key, and only
 * while it remembers the key, counted from the FIRST execute. A PSP that replays successes alone
 * may have moved money, answered 500, and would do it again.
 */
export function mayResend({ attempts }: RouteStory, { idempotency }: Capabilities, now: Date): boolean {
  return idempotency.replays === 'all' && insideWindow(attempts, idempotency.windowMs, now);
}

function insideWindow(attempts: readonly PspAttempt[], windowMs: number | null, now: Date): boolean {
  if (windowMs === null) return false;
  return (
    now.getTime() < firstSentAt(attempts.filter((a) => a.kind === 'execute')) + windowMs - WINDOW_MARGIN_MS
  );
}

function mayCancel({ request }: RouteStory, { cancel }: Capabilities): boolean {
  return cancel === 'reference' || (cancel === 'id' && request.pspReference !== null);
}

/**
 * Nothing ran. The same PSP is asked again when it said; when nobody would be waiting any more by
 * then, the route is ruled out instead, so that another PSP can be asked or the client be told.
 */
function afterThrottle(
  routes: readonly RouteStory[],
  current: RouteStory,
  { since }: Open,
  can: Capabilities,
  facts: StepFacts,
): Step {
  const throttles = current.attempts.filter((a) => a.outcome === 'throttled').length;
  const asked = since.response?.['retry_after_ms'];
  const delay = typeof asked === 'number' ? asked : Math.min(500 * 2 ** throttles, 30_000);
  const until = new Date(endOf(since, facts) + delay);
  const tooLate = !facts.deadline || until >= facts.deadline;
  // Without keys a route is executed once, even where it is sure that nothing ran.
  if (tooLate || !insideWindow(current.attempts, can.idempotency.windowMs, facts.now)) {
    return afterRuledOut(
      routes,
      { verdict: 'ruled_out', kind: 'rejected', by: since, advice: 'elsewhere', untouched: true },
      facts,
    );
  }
  return facts.now >= until ? { do: 'execute' } : { do: 'wait', until, why: 'throttled' };
}

/**
 * Follow-ups come in rounds: each way to learn once, one after the other, then a pause that grows.
 * The first round is at once where there is doubt, since somebody waits for the answer.
 */
function onSchedule(
  current: RouteStory,
  { why, since }: Open,
  legal: readonly Way[],
  can: Capabilities,
  facts: StepFacts,
): Step {
  const attempts = current.attempts.filter(isCall);
  const last = attempts.at(-1)!;
  const lastEnd = endOf(last, facts);
  if (legal.length === 0) return withoutWays(current, why, can, facts);

  const followUps = attempts.filter((a) => a.attempt > since.attempt);
  const position = followUps.length > 0 ? legal.indexOf(last.kind) : -1;
  const insideRound = position >= 0 && position < legal.length - 1;
  const way = insideRound ? legal[position + 1]! : legal[0]!;
  // Rounds are counted by their first way, so that a way that falls away (a window that closes)
  // does not make more of the rounds that were made with it.
  const rounds = followUps.filter((a) => a.kind === legal[0]).length + (isDoubt(why) ? 0 : 1);
  const budgetSpent = rounds > SCHEDULE_MS.length;
  if (facts.asked && facts.deadline && facts.now >= facts.deadline) {
    // Whoever asked has waited long enough; a worker goes on from here at once.
    return { do: 'wait', until: facts.now, why };
  }
  if (facts.asked && facts.now.getTime() >= lastEnd + ASK_SPACING_MS) return stepOf(way, current);
  if (budgetSpent && !insideRound) return outOfBudget(current, why, can);
  const delay = rounds === 0 || insideRound ? 0 : jittered(current, SCHEDULE_MS[rounds - 1]!);
  const until = new Date(lastEnd + delay);
  return facts.now >= until ? stepOf(way, current) : { do: 'wait', until, why };
}

/** What is undone is undone for the reason that it was canceled for. */
function stepOf(way: Way, { attempts }: RouteStory): Step {
  if (way !== 'cancel') return { do: way };
  return { do: 'cancel', fence: attempts.every((a) => a.kind !== 'cancel' || isFence(a)) };
}

/** Nobody can be asked. Where an answer is promised (a webhook, a customer) it is awaited; doubt is not. */
function withoutWays(current: RouteStory, why: OpenWhy, can: Capabilities, facts: StepFacts): Step {
  if (isDoubt(why)) return outOfBudget(current, why, can);
  let at = endOf(current.attempts.at(-1)!, facts);
  for (const delay of SCHEDULE_MS) {
    at += delay;
    if (at > facts.now.getTime()) return { do: 'wait', until: new Date(at), why };
  }
  return outOfBudget(current, why, can);
}

type OpenWhy = Open['why'];

/** Nobody will tell us of their own accord; where something is awaited, somebody will. */
function isDoubt(why: OpenWhy): boolean {
  return why === 'doubt' || why === 'undoing';
}

/** The last thing to try before a person is called: to void what may be there. Once. */
function outOfBudget(current: RouteStory, why: OpenWhy, can: Capabilities): Step {
  const tried = current.attempts.some((a) => a.kind === 'cancel');
  const { operation } = current.request;
  const voidable = operation === 'charge' || operation === 'authorize';
  if (!tried && voidable && mayCancel(current, can)) return { do: 'cancel', fence: false };
  return { do: 'stuck', why };
}

function endOf(attempt: PspAttempt, { leaseMs }: FlightTime): number {
  return attempt.endedAt?.getTime() ?? attempt.startedAt.getTime() + leaseMs;
}

/**
 * Full jitter, drawn from the route's name and its attempts instead of a dice, so that this stays a
 * function: routes that fell into doubt together do not come back together.
 */
function jittered({ request, attempts }: RouteStory, ms: number): number {
  let hash = 2_166_136_261;
  for (const char of `${request.pspIdempotencyKey}${attempts.length}`) {
    hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619);
  }
  return Math.floor(((hash >>> 0) / 4_294_967_296) * ms);
}
