import { type Change, fromNow, insert, update } from '../kernel/index.js';
import { type Answer, type AttemptKind, type Operation } from '../psp/index.js';
import { pspIdempotencyKey } from './entity-key.js';
import { type RouteStory, saysDone } from './evidence.js';
import { nextStep, type RuledOut, type Step, type StepFacts } from './next-step.js';
import {
  nonExecutionProofs,
  orphanEffects,
  type PspAttempt,
  pspAttempts,
  type PspRequest,
  pspRequests,
} from './psp-request.entity.js';

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

/** What a new operation is. */
export interface Opening {
  readonly merchantId: string;
  /** The payment, or else the payout. */
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  readonly entityKey: string;
  readonly operation: Operation;
  readonly amount: number;
  readonly currency: string;
}

/** A call that may be made now: its attempt row is in the changes that must be committed first. */
export interface Call {
  readonly request: PspRequest;
  readonly attempt: PspAttempt;
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

/**
 * What to write, and what then. `changes` are all of one commit; only after it is written may
 * `call` be made.
 */
export interface Driven {
  readonly story: OperationStory;
  readonly changes: readonly Change[];
  readonly step: Step;
  readonly call: Call | null;
}

/** Opens route 1 of a new operation with its first attempt. */
export function open(opening: Opening, psp: string, driver: Driver, now: Date): Driven {
  return openRoute({ entityKey: opening.entityKey, routes: [] }, opening, psp, driver, now, [], null);
}

/**
 * Opens a route for an operation that was tried before and failed: the proof of the last route
 * stands already, or the database refuses.
 */
export function reopen(
  story: OperationStory,
  opening: Opening,
  psp: string,
  driver: Driver,
  now: Date,
): Driven {
  return openRoute(story, opening, psp, driver, now, [], null);
}

/**
 * Takes in what a call came back with (if anything) and decides what comes next. Pure: everything
 * it read is in its arguments, everything it wants written is in its result.
 */
export function drive(story: OperationStory, facts: StepFacts, driver: Driver, answered?: Answered): Driven {
  const changes: Change[] = [];
  const known = answered ? record(story, answered, changes) : story;
  const step = nextStep(known.routes, facts);
  const current = known.routes.at(-1)!;
  const before = story.routes.at(-1)!.request;
  const reference = current.request.pspReference;
  const settle = (set: Partial<PspRequest>) => {
    const request = {
      ...current.request,
      ...set,
      leasedBy: null,
      leasedUntil: null,
      fence: before.fence + 1,
    };
    changes.push(write(before, request, driver));
    return replaceLast(known, { ...current, request });
  };
  switch (step.do) {
    case 'finish':
      if (before.verdict !== 'open') return { story: known, changes, step, call: null };
      return {
        story: settle({
          verdict: 'effective',
          decidedAt: facts.now,
          nextStepAt: null,
          stuckAt: null,
          pspReference: referenceOf(step.by) ?? reference,
        }),
        changes,
        step,
        call: null,
      };
    case 'fail':
    case 'open': {
      const ruledOut = before.verdict === 'open' ? ruleOut(settle, step.evidence, facts.now, changes) : known;
      if (step.do === 'fail') return { story: ruledOut, changes, step, call: null };
      return openRoute(ruledOut, current.request, step.psp, driver, facts.now, changes, step);
    }
    case 'wait':
      return { story: settle({ nextStepAt: step.until, stuckAt: null }), changes, step, call: null };
    case 'stuck':
      return {
        story: settle({ nextStepAt: null, stuckAt: before.stuckAt ?? facts.now }),
        changes,
        step,
        call: null,
      };
    case 'execute':
    case 'lookup':
    case 'cancel':
      return callAgain(known, step.do, before, driver, facts.now, changes, step);
  }
}

/**
 * What a run writes that may no longer decide, because it lost its lock: the answer, as evidence
 * for whoever decides now. Raises the fence, so that a decision made without it is made again.
 * Empty when the answer is written down already. The first change is a gate.
 */
export function evidenceOnly(story: OperationStory, answered: Answered): readonly Change[] {
  const changes: Change[] = [];
  record(story, answered, changes);
  const route = story.routes.find(({ request }) => request.route === answered.call.request.route);
  if (changes.length > 0 && route?.request.verdict === 'open') {
    const { merchantId, entityKey, route: number, fence } = route.request;
    const key = { merchantId, entityKey, route: number };
    changes.push(update(pspRequests, key, { fence: fence + 1 }, { fence, verdict: 'open' }));
  }
  return changes;
}

/** Writes an answer down, whatever becomes of it: nothing that a PSP said is lost. */
function record(story: OperationStory, answered: Answered, changes: Change[]): OperationStory {
  const { call, answer } = answered;
  const routes = story.routes.map((route) => {
    if (route.request.route !== call.request.route) return route;
    const attempts = route.attempts.map((attempt) => {
      if (attempt.attempt !== call.attempt.attempt || attempt.outcome !== null) return attempt;
      const set = completed(answered);
      changes.push(update(pspAttempts, keyOfAttempt(attempt), set, { outcome: null }));
      changes.push(...orphanOf(route, attempt, answered));
      return { ...attempt, ...set };
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
function orphanOf(
  { request, attempts }: RouteStory,
  { attempt }: PspAttempt,
  answered: Answered,
): readonly Change[] {
  const { merchantId, entityKey, route, psp, amount, currency, verdict } = request;
  const isOrphan = verdict === 'ruled_out' && answered.answer.outcome === 'succeeded';
  if (!isOrphan || attempts.some((a) => a.outcome === 'succeeded')) return [];
  const foundAt = answered.endedAt;
  return [insert(orphanEffects, { merchantId, entityKey, route, attempt, psp, amount, currency, foundAt })];
}

function responseOf({
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

function referenceOf(attempt: PspAttempt): string | null {
  const reference = attempt.response?.['psp_reference'];
  return typeof reference === 'string' ? reference : null;
}

function ruleOut(
  settle: (set: Partial<PspRequest>) => OperationStory,
  { kind, by }: RuledOut,
  now: Date,
  changes: Change[],
): OperationStory {
  const settled = settle({ verdict: 'ruled_out', decidedAt: now, nextStepAt: null, stuckAt: null });
  const { merchantId, entityKey, route, attempt } = by;
  changes.push(insert(nonExecutionProofs, { merchantId, entityKey, route, kind, attempt, provedAt: now }));
  return settled;
}

function openRoute(
  story: OperationStory,
  opening: Opening,
  psp: string,
  driver: Driver,
  now: Date,
  changes: Change[],
  step: Step | null,
): Driven {
  const { merchantId, paymentId, payoutId, entityKey, operation, amount, currency } = opening;
  const last = story.routes.at(-1)?.request.route ?? 0;
  const route = last + 1;
  const request: PspRequest = {
    merchantId,
    entityKey,
    route,
    operation,
    paymentId,
    payoutId,
    psp,
    amount,
    currency,
    pspIdempotencyKey: pspIdempotencyKey(merchantId, entityKey, route),
    pspReference: null,
    verdict: 'open',
    nextStepAt: new Date(now.getTime() + driver.leaseMs),
    stuckAt: null,
    fence: 1,
    leasedBy: driver.token,
    leasedUntil: null,
    restsOnRoute: last === 0 ? null : last,
    openedAt: now,
    decidedAt: null,
  };
  const attempt = newAttempt(request, 1, 'execute', driver, now);
  changes.push(
    insert(pspRequests, { ...request, leasedUntil: fromNow(driver.leaseMs) }),
    insert(pspAttempts, attempt),
  );
  const opened = { entityKey, routes: [...story.routes, { request, attempts: [attempt] }] };
  const call = { request, attempt, firstSentAt: now, lastSentAt: now, undo: false };
  return { story: opened, changes, step: step ?? { do: 'execute' }, call };
}

function callAgain(
  story: OperationStory,
  kind: AttemptKind,
  before: PspRequest,
  driver: Driver,
  now: Date,
  changes: Change[],
  step: Step,
): Driven {
  const current = story.routes.at(-1)!;
  const request: PspRequest = {
    ...current.request,
    fence: before.fence + 1,
    nextStepAt: new Date(now.getTime() + driver.leaseMs),
    // What was given up may be asked about all the same: by a client, or by whoever cancels it.
    stuckAt: null,
    leasedBy: driver.token,
  };
  const attempt = newAttempt(request, current.attempts.at(-1)!.attempt + 1, kind, driver, now);
  changes.push(write(before, request, driver, true), insert(pspAttempts, attempt));
  const attempts = [...current.attempts, attempt];
  const sent = attempts.filter((a) => a.kind === 'execute').map((a) => a.startedAt);
  return {
    story: replaceLast(story, { request, attempts }),
    changes,
    step,
    call: {
      request,
      attempt,
      firstSentAt: sent[0]!,
      lastSentAt: sent.at(-1)!,
      undo: kind === 'cancel' && request.pspReference !== null && attempts.some(saysDone),
    },
  };
}

function newAttempt(
  request: PspRequest,
  attempt: number,
  kind: AttemptKind,
  driver: Driver,
  now: Date,
): PspAttempt {
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

/**
 * One guarded update of a route. Whoever leased it may go on; anybody else only once the lease
 * has run out, by the database's clock.
 */
function write(before: PspRequest, after: PspRequest, driver: Driver, lease = false): Change {
  const { verdict, pspReference, nextStepAt, stuckAt, fence, leasedBy, decidedAt } = after;
  const mine = before.leasedBy === null || before.leasedBy === driver.token;
  return update(
    pspRequests,
    { merchantId: before.merchantId, entityKey: before.entityKey, route: before.route },
    {
      verdict,
      pspReference,
      nextStepAt,
      stuckAt,
      fence,
      leasedBy,
      leasedUntil: lease ? fromNow(driver.leaseMs) : null,
      decidedAt,
    },
    { fence: before.fence, verdict: 'open' },
    mine ? null : 'leasedUntil',
  );
}

function keyOfAttempt({ merchantId, entityKey, route, attempt }: PspAttempt): Partial<PspAttempt> {
  return { merchantId, entityKey, route, attempt };
}

function replaceLast(story: OperationStory, last: RouteStory): OperationStory {
  return { ...story, routes: [...story.routes.slice(0, -1), last] };
}
