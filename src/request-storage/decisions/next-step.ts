import { type Hold } from '../../core/hold.js';
import { isSameAccount } from '../../psp/account.js';
import { type Capabilities } from '../../psp/contract.js';
import { isCall } from './attempt.js';
import {
  type Evidence,
  type OpenEvidence,
  type FlightTime,
  cancelProvesFrom,
  isFailoverCancel,
  type RouteHistory,
  assessRoute,
  withoutAsides,
} from './assess-route.js';
import { mayCallFrom, wasSkipped } from './skipped-call.js';
import { type PspAttempt, type Route } from '../route.entity.js';
import { dueOnSchedule, type ScheduleFacts, type Way } from './schedule.js';
import { statedBy } from './person-statement.js';
import { conflictOf, HELD, OTHER_ACCOUNT, TOO_MANY_CALLS } from './stuck-reason.js';
import { isKeyKnown, mayCancel, mayHandInAgain, mayResend, waysToAsk } from './ways.js';

/**
 * Which PSP may this operation be sent to now? The one question that decides whether a customer is charged twice,
 * answered by one function without I/O from the routes, their attempts, what the PSPs promise, the time and the
 * deadline. docs/ARCHITECTURE.md lists its rules; next-step.spec.ts checks each as a property.
 */
export type Step =
  /** Money moved, or will. */
  | { readonly do: 'finish'; readonly by: PspAttempt }
  /** No PSP did it and none is left to ask. */
  | { readonly do: 'fail'; readonly evidence: RuledOut }
  /** Call the PSP of the open route: resend under the same key, look up, or send what the customer did. */
  | { readonly do: 'execute' | 'lookup' | 'complete'; readonly offSchedule?: true }
  /** `beforeFailover`: voids a possible charge, so that another PSP can be tried. */
  | { readonly do: 'cancel'; readonly beforeFailover: boolean; readonly offSchedule?: true }
  /** Open the next route: another PSP, or the same one under a fresh key. */
  | { readonly do: 'open'; readonly psp: string; readonly evidence: RuledOut }
  /** Nothing to do before `until`, and why. */
  | { readonly do: 'wait'; readonly until: Date; readonly why: string }
  /** The schedule has ended: a person is needed. The route stays open at its PSP. */
  | { readonly do: 'stuck'; readonly why: string };

export type RuledOut = Extract<Evidence, { verdict: 'ruled_out' }>;

export interface StepFacts extends FlightTime, ScheduleFacts {
  /** Whether times may be compared: `now` with those of the attempts. */
  readonly clockTrusted: boolean;
  /**
   * Unless `none`, the database may have lost commits: a PSP may have seen the key of a route that is not stored
   * here. Only its answer under that key says what it did.
   */
  readonly hold: Hold;
  readonly capabilities: (psp: string) => Capabilities;
  /** The fingerprint of the account that is configured under this name, for this operation; undefined where none is. */
  readonly fingerprintOf: (psp: string) => string | undefined;
  /** PSP accounts that may be asked, best first, as routed when it was opened. */
  readonly candidates: readonly string[];
  /** Whether an account still takes operations of this merchant: who it is for may have changed since. */
  readonly mayBeginAt: (psp: string) => boolean;
  /** 'cancel': the merchant no longer wants it; void it where that is possible. */
  readonly intent: 'finish' | 'cancel';
  /** The routing rule allows canceling a charge in doubt and failing over on the PSP's acknowledgement. */
  readonly cancelBeforeFailover: boolean;
}

/** Routes per operation: every candidate once, and a few fresh keys. */
const MAX_ROUTES = 12;
/**
 * Calls per route, including those that clients and operators cause; after that the route is stuck. The schedule
 * makes about 30.
 */
export const MAX_CALLS = 1_000;

/** How long a route waits for a process whose clock is right. Longer than a request waits. */
const UNTIL_SOUND_MS = 3_000;
/** How long a route waits for the database to report holds. A request waits that long. */
const UNTIL_HOLD_KNOWN_MS = 1_000;

export function nextStep(all: readonly RouteHistory[], facts: StepFacts): Step {
  const last = all.at(-1);
  if (!last) throw new RangeError('an operation without a route has no next step');
  const routes = all.map(withoutAsides);
  const current = routes.at(-1)!;
  const step =
    whileUnsent(routes, last, facts) ??
    (facts.operatorLooksUp ? lookUpAlone(routes, current, facts) : stepUnheld(routes, current, facts));
  return insteadOfCall(step, last, facts) ?? unlessHeld(step, current, facts);
}

/** The step in the place of a call while our lock is lost again and again; null if the call may be made. */
function insteadOfCall(step: Step, { attempts }: RouteHistory, { now }: StepFacts): Step | null {
  const isCallOf = ['execute', 'lookup', 'complete', 'cancel'].includes(step.do);
  if (!isCallOf) return null;
  if (attempts.filter(wasSkipped).length >= MAX_CALLS) return { do: 'stuck', why: TOO_MANY_CALLS };
  const until = mayCallFrom(attempts);
  return until !== null && now < until ? { do: 'wait', until, why: 'lock' } : null;
}

function unlessHeld(step: Step, current: RouteHistory, facts: StepFacts): Step {
  if (!mayBeElsewhere(current, facts) || !isHeldBack(step)) return step;
  if (facts.hold === 'operations') return { do: 'stuck', why: HELD };
  return { do: 'wait', until: new Date(facts.now.getTime() + UNTIL_HOLD_KNOWN_MS), why: HELD };
}

/** A later route, whose row is lost, may have done this at another PSP. */
function mayBeElsewhere(
  { request }: RouteHistory,
  { hold, candidates }: Pick<StepFacts, 'hold' | 'candidates'>,
): boolean {
  const isHeld = hold === 'operations' || hold === 'unknown';
  return isHeld && candidates.some((psp) => psp !== request.psp);
}

/**
 * Steps that send the operation, or decide that no PSP did it. Lookups, cancels, and steps from a person's
 * statement are still allowed.
 */
function isHeldBack(step: Step): boolean {
  switch (step.do) {
    case 'execute':
    case 'open':
      return true;
    case 'fail':
      return step.evidence.advice === 'elsewhere';
    case 'stuck':
      return step.why === 'doubt';
    default:
      return false;
  }
}

/** For an operator the PSP is asked and nothing is sent. What is due besides is left to the service's own next run. */
function lookUpAlone(routes: readonly RouteHistory[], current: RouteHistory, facts: StepFacts): Step {
  const { operatorAskedAfter = -Infinity, ...others } = facts;
  const { attempts } = current;
  const can = promisesOf(current, facts);
  const evidence = assessRoute(current, can, facts);
  const mayAsk =
    facts.clockTrusted &&
    evidence.verdict === 'open' &&
    evidence.why !== 'throttled' &&
    waysToAsk(current, can).length > 0 &&
    attempts.filter(isCall).length < MAX_CALLS;
  if (mayAsk && attempts.at(-1)!.attempt <= operatorAskedAfter) return { do: 'lookup', offSchedule: true };
  const step = stepUnheld(routes, current, { ...others, operatorAskedAfter: undefined });
  const sendsNothing =
    step.do === 'finish' || step.do === 'fail' || step.do === 'wait' || step.do === 'stuck';
  return sendsNothing ? step : { do: 'wait', until: facts.now, why: 'a lookup alone was asked for' };
}

function promisesOf({ request }: RouteHistory, facts: StepFacts): Capabilities {
  return isOtherAccount(request, facts) ? NO_PROMISES : facts.capabilities(request.psp);
}

function stepUnheld(routes: readonly RouteHistory[], current: RouteHistory, facts: StepFacts): Step {
  const can = promisesOf(current, facts);
  const evidence = assessRoute(current, can, facts);
  if (!facts.clockTrusted && !holdsAtAnyTime(current, evidence)) return untilSound(facts);
  switch (evidence.verdict) {
    case 'effective':
      return { do: 'finish', by: evidence.by };
    case 'ruled_out':
      return mayBeFromBefore(current, evidence, can, facts)
        ? whileOpen(
            routes,
            current,
            { verdict: 'open', why: 'doubt', since: current.attempts[0]! },
            can,
            facts,
          )
        : afterRuledOut(routes, evidence, facts);
    case 'open':
      return whileOpen(routes, current, evidence, can, facts);
  }
}

/**
 * True for what may be decided without a clock: a person's statement, a success without a later call, and the answer to the
 * only call. All other decisions compare times of calls, or make another call.
 */
function holdsAtAnyTime({ attempts }: RouteHistory, evidence: Evidence): boolean {
  if (evidence.verdict === 'open') return false;
  if (statedBy(evidence.by) !== null) return true;
  if (evidence.verdict === 'effective') return !attempts.some(({ kind }) => kind === 'cancel');
  return attempts.length === 1;
}

/**
 * That our request was not sent, or is not found, says nothing about a lost one under the same key. So the request
 * is sent under its key for as long as the PSP remembers the key.
 */
function mayBeFromBefore(
  current: RouteHistory,
  { by }: RuledOut,
  can: Capabilities,
  facts: StepFacts,
): boolean {
  if (facts.hold === 'none' || mayBeElsewhere(current, facts)) return false;
  const isAboutThisRequest = by.outcome === 'not_sent' || by.outcome === 'not_found';
  return isAboutThisRequest && mayResend(current, can, facts.now);
}

/**
 * The capabilities of an account that is no longer configured, or is not the one that the route was sent to: none.
 * It cannot be asked about the route nor get it again; a person must decide.
 */
export const NO_PROMISES: Capabilities = {
  operations: [],
  currencies: [],
  methods: {},
  idempotency: { windowMs: null, replays: 'none' },
  lookup: null,
  cancel: null,
  captures: 'whole',
};

/** Whether the name of the route's PSP now means another account. */
export function isOtherAccount(
  { psp, accountFingerprint }: Route,
  { fingerprintOf }: Pick<StepFacts, 'fingerprintOf'>,
): boolean {
  const [opened, configured] = [accountFingerprint ?? null, fingerprintOf(psp) ?? null];
  return opened !== null && configured !== null && !isSameAccount(opened, configured);
}

/** It is proved that this PSP did nothing. May another PSP be tried, or the same one under a fresh key? */
function afterRuledOut(routes: readonly RouteHistory[], evidence: RuledOut, facts: StepFacts): Step {
  const fail: Step = { do: 'fail', evidence };
  if (facts.intent === 'cancel' || evidence.advice !== 'elsewhere') return fail;
  // A refusal that the PSP does not keep under the key says nothing about what it did under that key before.
  if (facts.hold !== 'none' && evidence.kind === 'rejected') return fail;
  if (!facts.deadline || facts.now >= facts.deadline || routes.length >= MAX_ROUTES) return fail;
  const tried = new Set(routes.map(({ request }) => request.psp));
  const next = facts.candidates.find((psp) => !tried.has(psp) && facts.mayBeginAt(psp));
  if (next) return { do: 'open', psp: next, evidence };
  // Rotation: the only PSP knows nothing of it, but remembers our key (with a stored error).
  const current = routes.at(-1)!;
  const { psp } = current.request;
  const rotates = evidence.kind === 'lookup_final' && evidence.untouched && facts.candidates.includes(psp);
  if (!rotates) return fail;
  // A key that the PSP never saw is sent again: with a fresh key after lost commits, the PSP could still accept
  // this one.
  const isSeen = current.attempts.some((a) => a.kind === 'execute' && a.httpStatus !== null);
  if (!isSeen && mayResend(current, facts.capabilities(psp), facts.now)) return { do: 'execute' };
  return { do: 'open', psp, evidence };
}

/**
 * Our lock had ended before the first call: it is made now, unless nobody wants it any more. null if a call was made, or
 * something else was learned.
 */
function whileUnsent(routes: readonly RouteHistory[], current: RouteHistory, facts: StepFacts): Step | null {
  if (!current.attempts.every((a) => a.kind !== 'execute' || wasSkipped(a))) return null;
  const evidence = assessRoute(current, promisesOf(current, facts), facts);
  if (evidence.verdict !== 'open' || evidence.why !== 'unsent') return null;
  if (isOtherAccount(current.request, facts)) return { do: 'stuck', why: OTHER_ACCOUNT };
  if (!facts.clockTrusted) return untilSound(facts);
  if (facts.intent === 'finish' || facts.hold !== 'none') return { do: 'execute' };
  const by = current.attempts.find(wasSkipped)!;
  return afterRuledOut(
    routes,
    { verdict: 'ruled_out', kind: 'not_sent', by, advice: 'never', untouched: true },
    facts,
  );
}

function untilSound({ now }: StepFacts): Step {
  return { do: 'wait', until: new Date(now.getTime() + UNTIL_SOUND_MS), why: 'clock' };
}

/** The most details that customers, or forgers of their return, may send for one route. */
const MAX_COMPLETIONS = 20;

/**
 * How the PSP learns that the customer has acted: by the details, or by a lookup if it knows by itself. null if it
 * does not wait for a customer, or accepts no more details.
 */
export function completionStep(
  current: RouteHistory,
  can: Capabilities,
  flight: FlightTime,
): { readonly do: 'complete' | 'lookup' } | null {
  const evidence = assessRoute(current, can, flight);
  if (evidence.verdict !== 'open' || evidence.why !== 'requires_action') return null;
  // An operation that is being canceled must not be completed.
  if (current.attempts.some(({ kind }) => kind === 'cancel')) return null;
  if (!can.completion) return waysToAsk(current, can).length > 0 ? { do: 'lookup' } : null;
  const handedIn = current.attempts.filter(({ kind }) => kind === 'complete').length;
  return handedIn < MAX_COMPLETIONS ? { do: 'complete' } : null;
}

function whileOpen(
  routes: readonly RouteHistory[],
  current: RouteHistory,
  evidence: OpenEvidence,
  can: Capabilities,
  facts: StepFacts,
): Step {
  if (isOtherAccount(current.request, facts)) {
    return { do: 'stuck', why: OTHER_ACCOUNT };
  }
  const needsPerson = whyOnlyAPersonDecides(current, evidence);
  if (needsPerson !== null) {
    const [ask] = waysToAsk(current, can);
    const isAsked = current.attempts.at(-1)!.attempt > (facts.operatorAskedAfter ?? -Infinity);
    return ask && !isAsked ? { do: ask, offSchedule: true } : { do: 'stuck', why: needsPerson };
  }
  if (evidence.why === 'throttled') return afterThrottle(routes, current, evidence, can, facts);
  if (
    facts.intent === 'cancel' &&
    mayCancel(current, can) &&
    !current.attempts.some((a) => a.kind === 'cancel')
  ) {
    return { do: 'cancel', beforeFailover: false };
  }
  if (mayCancelBeforeFailover(current, evidence, can, facts)) return { do: 'cancel', beforeFailover: true };
  return onSchedule(current, evidence, can, facts);
}

/** From when on the PSP's answer to a cancel by our reference ends the doubt; null where it never does. */
function cancelEndsDoubtFrom(
  current: RouteHistory,
  { why, since }: OpenEvidence,
  can: Capabilities,
  facts: StepFacts,
): Date | null {
  if (why !== 'doubt' || since.kind === 'complete' || facts.hold !== 'none') return null;
  return mayCancel(current, can) ? cancelProvesFrom(current, can, facts) : null;
}

function whyOnlyAPersonDecides({ attempts }: RouteHistory, { why, since }: OpenEvidence): string | null {
  if (why === 'conflict') return conflictOf(since);
  return attempts.filter(isCall).length >= MAX_CALLS ? TOO_MANY_CALLS : null;
}

/**
 * A charge that is still in doubt after every way to learn was tried once, while the client waits and another PSP
 * could be tried. Only if the PSP can void by our reference, since its id is not known.
 */
function mayCancelBeforeFailover(
  current: RouteHistory,
  { why, since }: OpenEvidence,
  can: Capabilities,
  facts: StepFacts,
): boolean {
  const { request, attempts } = current;
  if (
    !facts.cancelBeforeFailover ||
    why !== 'doubt' ||
    facts.intent === 'cancel' ||
    can.cancel !== 'reference' ||
    can.cancelProvesAfterMs !== undefined
  )
    return false;
  // Our reference is newer than the object that the PSP may have made under the key.
  if (facts.hold !== 'none') return false;
  // A customer who has just authenticated is not sent to another PSP because an answer was lost.
  if (since.kind === 'complete') return false;
  // A charge has taken the money by the time that the PSP carries out an acknowledged void.
  const voidable =
    request.operation === 'authorize' || (request.operation === 'charge' && !can.cancelIsOrder);
  if (!voidable) return false;
  if (!facts.deadline || facts.now >= facts.deadline) return false;
  if (attempts.some((a) => a.kind === 'cancel')) return false;
  const ways = waysOn(current, { verdict: 'open', why, since }, can, facts);
  const tried = attempts.filter((a) => a.attempt > since.attempt).map(({ kind }) => kind);
  const isNext = (psp: string) => psp !== request.psp && facts.mayBeginAt(psp);
  return ways.every((way) => tried.includes(way)) && facts.candidates.some(isNext);
}

function waysOn(
  current: RouteHistory,
  { why, since }: OpenEvidence,
  can: Capabilities,
  facts: StepFacts,
): readonly Way[] {
  const ask = waysToAsk(current, can);
  switch (why) {
    case 'doubt': {
      // Two calls resolve doubt: a lookup, and a resend under the same key.
      const again: Way | false =
        since.kind === 'complete'
          ? mayHandInAgain(current, can, facts.now) && 'complete'
          : mayResend(current, can, facts.now) && !mayBeElsewhere(current, facts) && 'execute';
      const ways = again ? [...ask, again] : ask;
      const provesFrom = cancelEndsDoubtFrom(current, { verdict: 'open', why, since }, can, facts);
      const proves = provesFrom !== null && facts.now >= provesFrom;
      return (proves || facts.intent === 'cancel') && mayCancel(current, can)
        ? [...ways, 'cancel' as const]
        : ways;
    }
    case 'undoing':
      // A second cancel has no further effect, and its answer describes the present state.
      return mayCancel(current, can) ? ['cancel', ...ask] : ask;
    default:
      return ask;
  }
}

/**
 * Nothing ran. The PSP is called again at the time that it named; if the client no longer waits by then, the route
 * is ruled out instead, so that another PSP can be tried or the client be answered.
 */
function afterThrottle(
  routes: readonly RouteHistory[],
  current: RouteHistory,
  { since }: OpenEvidence,
  can: Capabilities,
  facts: StepFacts,
): Step {
  const throttles = current.attempts.filter((a) => a.outcome === 'throttled').length;
  const asked = since.response?.['retry_after_ms'];
  const delay = typeof asked === 'number' ? asked : Math.min(500 * 2 ** throttles, 30_000);
  const until = new Date(endOf(since, facts, current.request) + delay);
  const tooLate = (!facts.deadline || until >= facts.deadline) && facts.hold === 'none';
  // Without keys a route is executed once, even if it is certain that nothing ran.
  const executes = current.attempts.filter((a) => a.kind === 'execute');
  if (tooLate || !isKeyKnown(executes, can.idempotency.windowMs, facts.now)) {
    return afterRuledOut(
      routes,
      { verdict: 'ruled_out', kind: 'rejected', by: since, advice: 'elsewhere', untouched: true },
      facts,
    );
  }
  return facts.now >= until ? { do: 'execute' } : { do: 'wait', until, why: 'throttled' };
}

/** The call that is due by the schedule, or none yet. */
function onSchedule(current: RouteHistory, open: OpenEvidence, can: Capabilities, facts: StepFacts): Step {
  const { why } = open;
  const due = dueOnSchedule(current, open, waysOn(current, open, can, facts), facts, can.answersWithinMs);
  if ('way' in due) {
    const { way, ...marks } = due;
    return { ...stepOf(way, current, facts), ...marks };
  }
  const cancels = cancelEndsDoubtFrom(current, open, can, facts);
  const isNext = cancels !== null && cancels > facts.now && (due.until === null || cancels < due.until);
  const until = isNext ? cancels : due.until;
  return until ? { do: 'wait', until, why } : { do: 'stuck', why };
}

/** A repeated cancel keeps the reason of the first (failover or the merchant), unless the merchant has canceled since. */
function stepOf(way: Way, { attempts }: RouteHistory, { intent }: StepFacts): Extract<Step, { do: Way }> {
  if (way !== 'cancel') return { do: way };
  const isCalledOff =
    intent === 'cancel' || attempts.some((a) => a.kind === 'cancel' && !isFailoverCancel(a));
  return { do: 'cancel', beforeFailover: !isCalledOff };
}

/**
 * When a call has ended for the schedule. A call in flight ends with the lease of its route, which ends early if
 * its process has died; whether the call may still have an effect is another question.
 */
function endOf(attempt: PspAttempt, { leaseMs }: FlightTime, { leasedUntil }: Route): number {
  const lapsesAt = attempt.startedAt.getTime() + leaseMs;
  return attempt.endedAt?.getTime() ?? Math.min(lapsesAt, leasedUntil?.getTime() ?? Infinity);
}
