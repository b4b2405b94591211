import {
  type Capabilities,
  type DeclineAdvice,
  type LookupCapability,
  makesOnce,
  OTHER_PARAMETERS,
} from '../../psp/contract.js';
import { adviceFor } from '../../psp/decline.js';
import { referenceIn } from './reference.js';
import { wasSkipped } from './skipped-call.js';
import { statedBy } from './person-statement.js';
import { type ProofKind, type PspAttempt, type Route } from '../route.entity.js';

/** A route with every call that was made on its behalf, oldest first. */
export interface RouteHistory {
  readonly request: Route;
  readonly attempts: readonly PspAttempt[];
}

/**
 * The evidence that the calls of a route give, taken together.
 *
 * - `effective`: the PSP reported at least once, in any call, that it did it.
 * - `ruled_out`: proved that it did not and will not; `elsewhere` says whether another PSP may be tried.
 * - `open`: everything else, with the reason why.
 */
export type Evidence =
  | { readonly verdict: 'effective'; readonly by: PspAttempt }
  | {
      readonly verdict: 'ruled_out';
      readonly kind: ProofKind;
      readonly by: PspAttempt;
      readonly advice: DeclineAdvice;
      /** Nothing arrived at the PSP: a fresh key may be tried there. */
      readonly untouched: boolean;
    }
  | OpenEvidence;

export interface OpenEvidence {
  readonly verdict: 'open';
  readonly why: OpenBecause;
  readonly since: PspAttempt;
}

/**
 * - `doubt`            a call may have had an effect that no answer names
 * - `conflict`         the PSP holds something else than was asked for: a person decides
 * - `requires_action`  the PSP waits for the customer
 * - `pending`          the PSP has it and will decide
 * - `throttled`        nothing ran; the PSP asks us to come back later
 * - `undoing`          the PSP did it, and was asked to cancel it: it has to be undone
 * - `unsent`           no call was made yet: our lock had ended before the first one
 */
export type OpenBecause =
  'doubt' | 'conflict' | 'requires_action' | 'pending' | 'throttled' | 'undoing' | 'unsent';

/** How long a call can still be on its way after its row was written, in ms: the lease of its sender. */
export interface FlightTime {
  readonly leaseMs: number;
}

/**
 * Assesses a route by all of its attempts. A verdict is for the whole route: a refused retry says nothing about an
 * earlier attempt that is still in doubt, and a call that our lock kept back says nothing at all.
 */
export function assessRoute(route: RouteHistory, can: Capabilities, flight: FlightTime): Evidence {
  const { request, attempts } = withoutAsides(route);
  const stated = attempts.findLast((a) => statedBy(a) !== null);
  // No later answer of the PSP ends it: a person decides. Only what it says of our key ends with our object.
  const conflict =
    attempts.find((a) => a.outcome === 'conflict' && !(isAboutKey(a) && attempts.some(showsOurObject))) ??
    secondYes(attempts);
  if (conflict && !stated) return { verdict: 'open', why: 'conflict', since: conflict };

  const done = attempts.find(isSuccess);
  const failed = done && failedSince(request, attempts);
  if (failed) return ruledOut('declined', failed);
  // A person's statement decides only if the PSP's answers do not; it never lets another PSP be tried.
  if (stated?.outcome === 'succeeded') return { verdict: 'effective', by: stated };
  const undone = done ? sinceCanceled(request, attempts, can, flight) : null;
  if (stated && (conflict || !done || undone?.verdict === 'open')) {
    return { ...ruledOut('person', stated), advice: 'never' };
  }
  if (done) return undone ?? { verdict: 'effective', by: done };

  const executes = attempts.filter((a) => a.kind === 'execute');
  const lastExecute = executes.at(-1);
  const after = (a: PspAttempt) => a.attempt > (lastExecute?.attempt ?? 0);

  const canceled = attempts.findLast(
    (a) =>
      isCanceled(a, request) && provesVoid(a, executes, can, flight) && (a.kind === 'execute' || after(a)),
  );
  if (canceled) return ruledOut('cancel_acknowledged', canceled);

  const lookup = attempts.findLast((a) => a.kind === 'lookup' && after(a) && a.outcome === 'declined');
  if (lookup) return ruledOut('lookup_final', lookup);

  const doubtful = executes.filter((a) => a.outcome === 'unknown' || a.outcome === null);
  const accepted = attempts.filter((a) => isAcceptance(a));
  const declined = attempts.findLast((a) => isRefusal(a));

  const completion = undecidedCompletion(attempts);

  if (doubtful.length === 0 && accepted.length === 0 && !completion) {
    return (
      withoutDoubt(lastExecute, declined) ?? { verdict: 'open', why: 'unsent', since: route.attempts[0]! }
    );
  }

  if (declined && answersAll(executes, declined, can)) return ruledOut('declined', declined);
  if (accepted.length === 0 && !completion && request.pspReference === null) {
    const nothing = attempts.findLast((a) => isFinalNotFound(a, executes, can, flight));
    if (nothing) return { ...ruledOut('lookup_final', nothing), advice: 'elsewhere', untouched: true };
  }
  const latest = accepted.at(-1);
  if (latest && doubtful.every((a) => a.attempt < latest.attempt)) {
    if (completion) return { verdict: 'open', why: 'doubt', since: completion };
    return { verdict: 'open', why: latest.outcome as 'pending' | 'requires_action', since: accepted[0]! };
  }
  return { verdict: 'open', why: 'doubt', since: doubtful[0] ?? completion ?? accepted[0]! };
}

/** The PSP knows our key with other parameters. */
export function isAboutKey({ outcome, pspCode }: PspAttempt): boolean {
  return outcome === 'conflict' && pspCode === OTHER_PARAMETERS;
}

/** The PSP itself shows one object under our name, with the money that was asked for (else it is a conflict). */
function showsOurObject(a: PspAttempt): boolean {
  const isNamed = a.kind === 'lookup' || (a.kind === 'notice' && a.request['named'] === true);
  return isNamed && isSuccess(a) && referenceIn(a) !== null;
}

/** A success with another object than an earlier success: the PSP did it twice, and it is not known which one counts. */
function secondYes(attempts: readonly PspAttempt[]): PspAttempt | undefined {
  const successes = attempts.filter((a) => isSuccess(a) && referenceIn(a) !== null);
  return successes.find((a) => referenceIn(a) !== referenceIn(successes[0]!));
}

/** The PSP reports that it did what the route requested. */
export function isSuccess({ kind, outcome }: PspAttempt): boolean {
  return kind !== 'cancel' && outcome === 'succeeded';
}

/**
 * A capture, refund or payout may fail after its success, never the other way round: a success of the same object
 * that arrives later was only delivered later. A payment may be refused and then made, if its customer tries again.
 */
function failedSince({ operation }: Route, attempts: readonly PspAttempt[]): PspAttempt | undefined {
  if (operation === 'charge' || operation === 'authorize') return undefined;
  return attempts.find(
    (no) =>
      no.kind === 'notice' &&
      isRefusal(no) &&
      attempts.some(
        (yes) => isSuccess(yes) && referenceIn(yes) !== null && referenceIn(yes) === referenceIn(no),
      ),
  );
}

/** The PSP had carried out this decided route, and it failed later. */
export function cameBack({ request, attempts }: RouteHistory): boolean {
  return request.verdict === 'effective' && failedSince(request, attempts) !== undefined;
}

/** A failure reported by the PSP, as an answer or as a notice. */
function isRefusal(a: PspAttempt): boolean {
  const speaks = a.kind === 'execute' || a.kind === 'complete' || (a.kind === 'notice' && !isAboutCancel(a));
  return a.outcome === 'declined' && speaks;
}

/**
 * The first call with details of the customer's return that the PSP may not have processed: unanswered, or not
 * accepted. If the PSP waits for the customer again, or decides, that answers it; the payment's own answer,
 * replayed under its key, is older. A refused repetition says nothing about a call in doubt.
 */
function undecidedCompletion(attempts: readonly PspAttempt[]): PspAttempt | undefined {
  let first: PspAttempt | undefined;
  let inDoubt = false;
  for (const a of attempts) {
    const answers = a.kind === 'complete' || (a.kind === 'notice' && a.outcome === 'pending');
    if (answers && isAcceptance(a)) {
      first = undefined;
      inDoubt = false;
    } else if (a.kind === 'complete' && a.outcome === 'rejected') {
      if (!inDoubt) first = undefined;
    } else if (a.kind === 'complete') {
      first ??= a;
      inDoubt ||= a.outcome === null || a.outcome === 'unknown';
    }
  }
  return first;
}

/**
 * Whether a failure is valid for every execute of the route. The PSP replays its answer for this key, so a decline
 * answers all of them; and it always answers a single execute, also if it comes later in a notification or for the
 * details of the customer's return.
 */
function answersAll(executes: readonly PspAttempt[], declined: PspAttempt, can: Capabilities): boolean {
  const isLater = declined.kind !== 'execute';
  if (isLater && executes.length === 1) return true;
  const lastSent = isLater ? executes.at(-1)! : declined;
  return makesOnce(can.idempotency) && startedInKeyWindow(executes, lastSent, can);
}

/** A notice about the result of a cancel, not about the operation itself. */
export function isAboutCancel({ kind, request }: PspAttempt): boolean {
  return kind === 'notice' && request['about'] === 'cancel';
}

/**
 * How a cancel changed a payment that the PSP did; null if it did not. A success replayed under the payment's key
 * describes the past: a cancel that was received, or lost, may have voided it since.
 */
function sinceCanceled(
  { operation }: Route,
  attempts: readonly PspAttempt[],
  can: Capabilities,
  flight: FlightTime,
): Evidence | null {
  if (operation !== 'charge' && operation !== 'authorize') return null;
  const lastExecute = attempts.findLastIndex((a) => a.kind === 'execute');
  const executes = attempts.filter((a) => a.kind === 'execute');
  const proves = (a: PspAttempt) => provesVoid(a, executes, can, flight);
  const canceled = attempts.findLast((a, i) => i > lastExecute && a.outcome === 'canceled' && proves(a));
  if (canceled) return ruledOut('cancel_acknowledged', canceled);
  const cancels = attempts.filter((a) => a.kind === 'cancel' && !isRefused(a, attempts));
  // "It cannot be canceled any more" decides every earlier cancel.
  const tooLate = cancels.findLastIndex((a) => a.outcome === 'succeeded');
  const mayBeVoid = (a: PspAttempt) => mayHaveVoided(a) || (a.outcome === 'canceled' && !proves(a));
  const [first, ...others] = cancels.slice(tooLate + 1).filter(mayBeVoid);
  if (!first) return null;
  const stands = attempts.some(
    (a) => isSuccess(a) && [first, ...others].every((cancel) => isTruthAfter(cancel, a, can, flight)),
  );
  return stands ? null : { verdict: 'open', why: 'undoing', since: first };
}

/** The PSP reported that it did not carry out this cancel: by its id, or because there is no other. */
function isRefused({ response }: PspAttempt, attempts: readonly PspAttempt[]): boolean {
  const own = response?.['psp_reference'];
  const isOnly = attempts.filter(({ kind }) => kind === 'cancel').length === 1;
  return attempts.some((a) => {
    if (!isAboutCancel(a) || a.outcome !== 'declined') return false;
    return own === undefined ? isOnly : a.response?.['cancel_reference'] === own;
  });
}

function mayHaveVoided({ outcome }: PspAttempt): boolean {
  return outcome === null || outcome === 'unknown' || outcome === 'pending';
}

/** A lookup that is never late, made when the cancel could no longer be on its way. */
function isTruthAfter(
  cancel: PspAttempt,
  { kind, startedAt }: PspAttempt,
  { lookup }: Capabilities,
  { leaseMs }: FlightTime,
): boolean {
  // A PSP that received the cancel may carry it out at any time.
  if (cancel.outcome === 'pending' || kind !== 'lookup' || lookup?.consistency !== 'strong') return false;
  return startedAt.getTime() >= goneAt(cancel, leaseMs) + settlesAfterMs(cancel, lookup);
}

/** The PSP has the payment. An acknowledged cancel does not prove that. */
export function isAcceptance(a: PspAttempt): boolean {
  return (
    a.kind !== 'cancel' && !isAboutCancel(a) && (a.outcome === 'pending' || a.outcome === 'requires_action')
  );
}

/** Every execute was answered, none with a success or a doubt: the last answer decides. null if none was sent. */
function withoutDoubt(last: PspAttempt | undefined, declined: PspAttempt | undefined): Evidence | null {
  if (declined) return ruledOut('declined', declined);
  if (!last) return null;
  switch (last.outcome) {
    case 'not_sent':
      return { ...ruledOut('not_sent', last), untouched: true };
    case 'rejected':
      return ruledOut('rejected', last);
    case 'throttled':
      return { verdict: 'open', why: 'throttled', since: last };
    default:
      // An answer that makes no sense for an execute is no answer.
      return { verdict: 'open', why: 'doubt', since: last };
  }
}

/** A lookup of the id that a person named: it counts for the person's statement alone. */
export function isOfStatement({ kind, request }: PspAttempt): boolean {
  return kind === 'lookup' && request['stated_reference'] !== undefined;
}

/** The route without attempts that say nothing of it. Details of the customer's return that were not sent have yet to be. */
export function withoutAsides({ request, attempts }: RouteHistory): RouteHistory {
  const counts = (a: PspAttempt) => !isOfStatement(a) && (a.kind === 'complete' || !wasSkipped(a));
  return { request, attempts: attempts.filter(counts) };
}

function ruledOut(kind: ProofKind, by: PspAttempt): Extract<Evidence, { verdict: 'ruled_out' }> {
  const advice = by.outcome === 'declined' ? adviceFor[by.decline ?? 'declined'] : adviceWithout(kind, by);
  return { verdict: 'ruled_out', kind, by, advice, untouched: false };
}

/**
 * A canceled operation is done at no other PSP, no matter which client requests it next. A cancel before a failover
 * does not cancel the operation itself.
 */
function adviceWithout(kind: ProofKind, by: PspAttempt): DeclineAdvice {
  return kind === 'cancel_acknowledged' && !isFailoverCancel(by) ? 'never' : 'elsewhere';
}

/**
 * The PSP reports the payment as void. Before a failover its receipt of the cancel of an authorization counts too:
 * the routing rule accepts that risk. For a charge the receipt does not count, because the charge has taken the
 * money before the cancel is carried out.
 */
function isCanceled(a: PspAttempt, { operation }: Route): boolean {
  if (a.outcome === 'canceled') return true;
  return isFailoverCancel(a) && a.outcome === 'pending' && operation === 'authorize';
}

/** A cancel made so that another PSP could be tried, or the notice of its result. */
export function isFailoverCancel({ request }: PspAttempt): boolean {
  return request['fence'] === true;
}

/** A cancel that is answered alike where nothing was there proves nothing of what could still arrive. */
function provesVoid(
  a: PspAttempt,
  executes: readonly PspAttempt[],
  { cancelProvesAfterMs }: Capabilities,
  { leaseMs }: FlightTime,
): boolean {
  if (a.kind !== 'cancel' || cancelProvesAfterMs === undefined) return true;
  return isLaterThan(a, executes, leaseMs, () => cancelProvesAfterMs);
}

/** From when on a cancel proves that nothing was done; null where it never does, or does at any time. */
export function cancelProvesFrom(
  { request: { operation }, attempts }: RouteHistory,
  { cancelProvesAfterMs }: Capabilities,
  { leaseMs }: FlightTime,
): Date | null {
  if (cancelProvesAfterMs === undefined || (operation !== 'charge' && operation !== 'authorize')) return null;
  const sent = attempts.filter((a) => a.kind === 'execute' && isUnanswered(a));
  return new Date(Math.max(0, ...sent.map((execute) => goneAt(execute, leaseMs) + cancelProvesAfterMs)));
}

/** "Not found" is proof only from a lookup that is never late, made after no sent request could still arrive. */
function isFinalNotFound(
  a: PspAttempt,
  executes: readonly PspAttempt[],
  { lookup }: Capabilities,
  { leaseMs }: FlightTime,
): boolean {
  if (a.kind !== 'lookup' || a.outcome !== 'not_found') return false;
  if (lookup?.by !== 'reference' || lookup.consistency !== 'strong') return false;
  return isLaterThan(a, executes, leaseMs, (execute) => settlesAfterMs(execute, lookup));
}

/** The call was made when no execute could arrive any more. One that was refused or never sent cannot. */
function isLaterThan(
  { startedAt }: PspAttempt,
  executes: readonly PspAttempt[],
  leaseMs: number,
  settlesMs: (execute: PspAttempt) => number,
): boolean {
  return executes
    .filter(isUnanswered)
    .every((execute) => startedAt.getTime() >= goneAt(execute, leaseMs) + settlesMs(execute));
}

/** When its sender was done with a call, or dead. */
function goneAt({ startedAt, endedAt }: PspAttempt, leaseMs: number): number {
  return endedAt?.getTime() ?? startedAt.getTime() + leaseMs;
}

/** The time from which the PSP carries out none of its calls any more that have no answer. */
export function settlesAt(
  { attempts }: RouteHistory,
  { lookup }: Capabilities,
  { leaseMs }: FlightTime,
): Date {
  const orders = attempts.filter(
    ({ kind, outcome }) =>
      kind !== 'lookup' && kind !== 'notice' && (outcome === null || outcome === 'unknown'),
  );
  const ends = orders.map((a) => goneAt(a, leaseMs) + (lookup ? settlesAfterMs(a, lookup) : 0));
  return new Date(Math.max(0, ...ends));
}

/** A server error shows that the PSP got the request, not that it has finished with it. */
function settlesAfterMs({ httpStatus }: PspAttempt, lookup: LookupCapability): number {
  const failed = httpStatus !== null && httpStatus >= 500;
  return (failed ? lookup.settlesAfterServerErrorMs : undefined) ?? lookup.settlesAfterMs;
}

function isUnanswered({ outcome }: PspAttempt): boolean {
  return !['not_sent', 'throttled', 'rejected', 'declined'].includes(outcome ?? 'unknown');
}

function startedInKeyWindow(
  executes: readonly PspAttempt[],
  answer: PspAttempt,
  { idempotency }: Capabilities,
): boolean {
  return answer.startedAt.getTime() < firstSentAt(executes) + (idempotency.windowMs ?? 0) - WINDOW_MARGIN_MS;
}

/** When the route's first execute was started, in ms since the epoch. */
export function firstSentAt(executes: readonly PspAttempt[]): number {
  return Math.min(...executes.map((a) => a.startedAt.getTime()));
}

/** Clocks differ, and a PSP may forget a key a little early. */
export const WINDOW_MARGIN_MS = 10 * 60_000;
