import { type Change, insert, update } from '../kernel/index.js';
import { type Answer, type AttemptKind } from '../psp/index.js';
import { type RouteStory } from './evidence.js';
import { referenceIn } from './reference.js';
import { orphanEffects, type PspAttempt, pspAttempts, type PspRequest } from './psp-request.entity.js';

/** Everything that was asked of PSPs on behalf of one entity key. */
export interface OperationStory {
  readonly entityKey: string;
  readonly routes: readonly RouteStory[];
}

/** Who drives an operation: the token of the lock it holds, and how long that lock lasts. */
export interface Driver {
  readonly token: string;
  readonly leaseMs: number;
  readonly traceId: string;
}

/** An attempt that is a call of ours, rather than a notice of the PSP's. */
export type CallAttempt = PspAttempt & { readonly kind: AttemptKind };

export function isCall(attempt: PspAttempt): attempt is CallAttempt {
  return attempt.kind !== 'notice';
}

/** A call that may be made now: its attempt row is in the changes that must be committed first. */
export interface Call {
  readonly request: PspRequest;
  readonly attempt: CallAttempt;
  /** When the route's first and latest execute were started: a lookup searches around them. */
  readonly firstSentAt: Date;
  readonly lastSentAt: Date;
  /** cancel: the PSP has said that it did this. */
  readonly undo: boolean;
}

/** What a call came back with. */
export interface Answered {
  readonly call: Call;
  readonly answer: Answer;
  readonly endedAt: Date;
  readonly latencyMs: number;
}

/** A call as it is written down before it is made. */
export function newAttempt(
  request: PspRequest,
  attempt: number,
  kind: AttemptKind,
  driver: Driver,
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
    traceId: driver.traceId,
    request: kind === 'execute' ? { operation, amount, currency } : { operation },
    response: null,
    startedAt: now,
    endedAt: null,
  };
}

/** Writes an answer down, whatever becomes of it: nothing that a PSP said is lost. */
export function record(story: OperationStory, answered: Answered, changes: Change[]): OperationStory {
  const { call, answer } = answered;
  const routes = story.routes.map((route) => {
    if (route.request.route !== call.request.route) return route;
    const attempts = route.attempts.map((attempt) => {
      if (attempt.attempt !== call.attempt.attempt || attempt.outcome !== null) return attempt;
      const set = completed(answered);
      changes.push(update(pspAttempts, keyOfAttempt(attempt), set, { outcome: null }));
      const done = { ...attempt, ...set };
      changes.push(...orphanOf(route, done));
      return done;
    });
    const pspReference = referenceAfter(route.request, call.attempt, answer);
    return { request: { ...route.request, pspReference }, attempts };
  });
  return { ...story, routes };
}

/** The PSP's name for what the route made. A cancel's answer names the cancel; a yes names the thing. */
function referenceAfter(
  { pspReference: known }: PspRequest,
  { kind }: PspAttempt,
  { outcome, pspReference: told }: Answer,
): string | null {
  if (kind === 'cancel' || told === undefined) return known;
  return outcome === 'succeeded' ? told : (known ?? told);
}

function completed({ answer, endedAt, latencyMs }: Answered): Partial<PspAttempt> {
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

/** A yes for a route that was ruled out: an orphan effect, recorded once. */
export function orphanOf({ request, attempts }: RouteStory, told: PspAttempt): readonly Change[] {
  const { merchantId, entityKey, route, operation, psp, amount, currency, verdict } = request;
  if (verdict !== 'ruled_out' || told.outcome !== 'succeeded') return [];
  if (attempts.some((a) => a.attempt !== told.attempt && a.outcome === 'succeeded')) return [];
  const pspReference = referenceIn(told) ?? request.pspReference;
  const where = { merchantId, entityKey, route, attempt: told.attempt, operation, psp, pspReference };
  return [insert(orphanEffects, { ...where, amount, currency, foundAt: told.endedAt!, status: 'open' })];
}

/** What is kept of an answer beside its outcome. */
export function responseOf({
  pspReference,
  message,
  nextAction,
  retryAfterMs,
  money,
}: Answer): Record<string, unknown> {
  return {
    ...(pspReference === undefined ? {} : { psp_reference: pspReference }),
    ...(message === undefined ? {} : { message }),
    ...(nextAction === undefined ? {} : { next_action: nextAction }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(money === undefined ? {} : { money }),
  };
}

function keyOfAttempt({ merchantId, entityKey, route, attempt }: PspAttempt): Partial<PspAttempt> {
  return { merchantId, entityKey, route, attempt };
}
