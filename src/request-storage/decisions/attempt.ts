import { type Change, insert, update } from '../../core/change.js';
import { type Answer, type AttemptKind } from '../../psp/contract.js';
import { isOfStatement, isSuccess, type RouteHistory } from './assess-route.js';
import { statedBy } from './person-statement.js';
import { referencesIn } from './reference.js';
import { type PspAttempt, type Route } from '../route.entity.js';
import { orphanEffects, pspAttempts } from '../route.table.js';

/** All calls to PSPs for one entity key. */
export interface OperationHistory {
  readonly entityKey: string;
  readonly routes: readonly RouteHistory[];
}

/** The run that advances an operation: the token of its lock, and how long that lock lasts. */
export interface LeaseHolder {
  readonly lockToken: string;
  /** The token that its rows have now: another one if its lock was lost and is taken again. */
  readonly heldToken: string;
  readonly leaseMs: number;
  readonly traceId: string;
}

/** An attempt that is a call, not a notice of the PSP. */
export type CallAttempt = PspAttempt & { readonly kind: AttemptKind };

export function isCall(attempt: PspAttempt): attempt is CallAttempt {
  return attempt.kind !== 'notice';
}

/** A call outside the schedule, because a client or an operator asked. */
export function isOffSchedule({ request }: PspAttempt): boolean {
  return request['off_schedule'] === true;
}

/** A call that may be made now: its attempt row is in the changes that must be committed first. */
export interface Call {
  readonly request: Route;
  readonly attempt: CallAttempt;
  /** See `Instruction.sentAt`. */
  readonly sentAt: readonly Date[];
  /** cancel: the PSP reported this object as done. */
  readonly undo: boolean;
}

/**
 * When the route's object can have been made: at each execute, but for those that got the failure that the PSP had stored.
 * That is of an execute before the first of them, which is kept, too. Where none before it can have failed there, its row was
 * lost with a commit, and the time is not known.
 */
export function sentAtOf(attempts: readonly PspAttempt[]): readonly Date[] {
  const executes = attempts.filter(({ kind }) => kind === 'execute');
  const isReplay = ({ response }: PspAttempt) => response?.['is_replay'] === true;
  const first = executes.findIndex(isReplay);
  const isInDoubt = ({ outcome }: PspAttempt) => outcome === null || outcome === 'unknown';
  if (first !== -1 && !executes.slice(0, first).some(isInDoubt)) return [];
  return executes.filter((a, i) => i <= first || !isReplay(a)).map(({ startedAt }) => startedAt);
}

/** The result of a call. */
export interface AnsweredCall {
  readonly call: Call;
  readonly answer: Answer;
  readonly endedAt: Date;
  readonly latencyMs: number;
}

/** A call as stored before it is made. */
export function newAttempt(
  request: Route,
  attempt: number,
  kind: AttemptKind,
  holder: LeaseHolder,
  now: Date,
): CallAttempt {
  const { merchantId, entityKey, route, operation, amount, currency } = request;
  return {
    merchantId,
    entityKey,
    route,
    attempt,
    kind,
    outcome: null,
    decline: null,
    pspCode: null,
    httpStatus: null,
    latencyMs: null,
    traceId: holder.traceId,
    request: kind === 'execute' ? { operation, amount, currency } : { operation },
    response: null,
    startedAt: now,
    endedAt: null,
  };
}

/** Stores an answer, also if it decides nothing: no answer of a PSP is lost. */
export function record(
  history: OperationHistory,
  answered: AnsweredCall,
  changes: Change[],
): OperationHistory {
  const { call, answer } = answered;
  const routes = history.routes.map((route) => {
    if (route.request.route !== call.request.route) return route;
    const others = route.attempts.filter((a) => a.attempt !== call.attempt.attempt);
    const attempts = route.attempts.map((attempt) => {
      if (attempt.attempt !== call.attempt.attempt || attempt.outcome !== null) return attempt;
      const set = completed(answered);
      changes.push(update(pspAttempts, keyOfAttempt(attempt), set, { outcome: null }));
      const done = { ...attempt, ...set };
      changes.push(...orphansOf({ ...route, attempts: others }, done));
      return done;
    });
    const pspReference = referenceAfter(route.request, call.attempt, answer);
    return { request: { ...route.request, pspReference }, attempts };
  });
  return { ...history, routes };
}

/**
 * The PSP's id of the object that the route made. A cancel's answer has the id of the cancel, a success that of the
 * object.
 */
function referenceAfter(
  { pspReference: known }: Route,
  attempt: PspAttempt,
  { outcome, pspReference: reported }: Answer,
): string | null {
  if (attempt.kind === 'cancel' || isOfStatement(attempt) || reported === undefined) return known;
  return outcome === 'succeeded' ? reported : (known ?? reported);
}

function completed({ answer, endedAt, latencyMs }: AnsweredCall): Partial<PspAttempt> {
  return {
    outcome: answer.outcome,
    decline: answer.outcome === 'declined' ? (answer.decline ?? 'declined') : null,
    pspCode: answer.pspCode ?? null,
    httpStatus: answer.httpStatus ?? null,
    latencyMs: Math.round(latencyMs),
    response: responseOf(answer),
    endedAt,
  };
}

/**
 * Objects that the PSP made beside our record of a decided route, each recorded once: every object that it made for
 * a route that was ruled out, and every object but the first for one that is effective.
 */
export function orphansOf(route: RouteHistory, attempt: PspAttempt): readonly Change[] {
  const { merchantId, entityKey, route: number, operation, psp, amount, currency } = route.request;
  if (route.request.verdict === 'open') return [];
  // An id stored on the route before a person ruled it out is no recorded orphan effect: a later success is new.
  const stated = route.request.verdict === 'ruled_out' ? route.attempts.findLastIndex(isStated) : -1;
  // Nor is an object that a person asked about before that.
  const isRecorded = (a: PspAttempt) => !isOfStatement(a) || a.endedAt! > route.request.decidedAt!;
  const attempts = route.attempts.slice(stated + 1).filter(isRecorded);
  const known = new Set(attempts.flatMap((a) => objectsIn(route, a)));
  if (route.request.verdict === 'effective') {
    if (route.request.pspReference === null) return [];
    known.add(route.request.pspReference);
  }
  // A fact without an id may be about this object.
  const isNew = (id: string | null) => (id === null ? known.size === 0 : !known.has(id) && !known.has(null));
  return objectsIn(route, attempt)
    .filter(isNew)
    .map((pspReference, i) =>
      insert(orphanEffects, {
        merchantId,
        entityKey,
        route: number,
        object: known.size + 1 + i,
        attempt: attempt.attempt,
        operation,
        psp,
        pspReference,
        amount,
        currency,
        foundAt: attempt.endedAt!,
        dueAt: attempt.endedAt!,
        status: 'open',
      }),
    );
}

function isStated(attempt: PspAttempt): boolean {
  return statedBy(attempt) !== null;
}

/** Whether the id is that of another object than the one that counts for the route. */
export function isSecondObject(route: RouteHistory, pspReference: string | null): boolean {
  const counts = route.request.pspReference;
  return pspReference !== null && counts !== null && pspReference !== counts;
}

/** The PSP's ids of the objects that an answer reports as made; null if the PSP gives none. */
function objectsIn({ request }: RouteHistory, attempt: PspAttempt): readonly (string | null)[] {
  const isRuledOut = request.verdict === 'ruled_out';
  // If it cannot be canceled any more, it was made.
  const isYes = isSuccess(attempt) || (isRuledOut && attempt.outcome === 'succeeded');
  // A conflict about an id that a person named is about an object that may be anybody's.
  const isConflict = attempt.outcome === 'conflict' && attempt.kind !== 'cancel' && !isOfStatement(attempt);
  if (!isYes && !isConflict) return [];
  const ids = referencesIn(attempt);
  if (ids.length > 0) return ids;
  return isRuledOut ? [request.pspReference] : [];
}
/** The stored part of an answer beside its outcome. */
export function responseOf({
  pspReference,
  pspReferences,
  message,
  nextAction,
  retryAfterMs,
  isReplay,
  money,
}: Answer): Record<string, unknown> {
  return {
    ...(pspReference === undefined ? {} : { psp_reference: pspReference }),
    ...(pspReferences === undefined ? {} : { psp_references: pspReferences }),
    ...(message === undefined ? {} : { message }),
    ...(nextAction === undefined ? {} : { next_action: nextAction }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(isReplay === undefined ? {} : { is_replay: isReplay }),
    ...(money === undefined ? {} : { money }),
  };
}

function keyOfAttempt({ merchantId, entityKey, route, attempt }: PspAttempt): Partial<PspAttempt> {
  return { merchantId, entityKey, route, attempt };
}
