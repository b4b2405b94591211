import { type Change, fromNow, insert, update } from '../kernel/index.js';
import { type AttemptKind, type Capabilities, type Operation } from '../psp/index.js';
import { pspIdempotencyKey } from './entity-key.js';
import { type Answered, type Call, type Driver, newAttempt, type OperationStory, record } from './attempt.js';
import { type RouteStory, saysDone } from './evidence.js';
import { referenceIn } from './reference.js';
import { lateLookAfter } from './late-look.js';
import { nextStep, type RuledOut, type Step, type StepFacts } from './next-step.js';
import { nonExecutionProofs, pspAttempts, type PspRequest, pspRequests } from './psp-request.entity.js';

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
          pspReference: referenceIn(step.by) ?? reference,
        }),
        changes,
        step,
        call: null,
      };
    case 'fail':
    case 'open': {
      const { evidence } = step;
      // Its end was decided while this answer was on its way, and whoever decided it opened nothing: the
      // operation has failed, and everybody may have been told so.
      if (before.verdict !== 'open') {
        return { story: known, changes, step: { do: 'fail', evidence }, call: null };
      }
      const ruledOut = ruleOut(settle, evidence, facts.capabilities(before.psp), facts.now, changes);
      if (step.do === 'fail') return { story: ruledOut, changes, step, call: null };
      return openRoute(ruledOut, current.request, step.psp, driver, facts.now, changes, step);
    }
    case 'wait':
      return { story: settle({ nextStepAt: step.until, stuckAt: null }), changes, step, call: null };
    case 'stuck':
      return {
        story: settle({
          nextStepAt: null,
          stuckAt: before.stuckAt ?? facts.now,
          firstStuckAt: before.firstStuckAt ?? facts.now,
        }),
        changes,
        step,
        call: null,
      };
    case 'execute':
    case 'lookup':
    case 'cancel':
      return callAgain(known, step, before, driver, facts.now, changes);
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

function ruleOut(
  settle: (set: Partial<PspRequest>) => OperationStory,
  evidence: RuledOut,
  can: Capabilities,
  now: Date,
  changes: Change[],
): OperationStory {
  const { kind, by } = evidence;
  const lookAgainAt = lateLookAfter(evidence, can, now);
  const settled = settle({
    verdict: 'ruled_out',
    decidedAt: now,
    nextStepAt: null,
    stuckAt: null,
    lookAgainAt,
  });
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
    lookAgainAt: null,
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
  step: Extract<Step, { do: AttemptKind }>,
  before: PspRequest,
  driver: Driver,
  now: Date,
  changes: Change[],
): Driven {
  const kind = step.do;
  const current = story.routes.at(-1)!;
  const request: PspRequest = {
    ...current.request,
    fence: before.fence + 1,
    nextStepAt: new Date(now.getTime() + driver.leaseMs),
    // What was given up may be asked about all the same: by a client, or by whoever cancels it.
    stuckAt: null,
    leasedBy: driver.token,
  };
  const made = newAttempt(request, current.attempts.at(-1)!.attempt + 1, kind, driver, now);
  const isFence = step.do === 'cancel' && step.fence;
  const attempt = isFence ? { ...made, request: { ...made.request, fence: true } } : made;
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

/**
 * One guarded update of a route. Whoever leased it may go on; anybody else only once the lease
 * has run out, by the database's clock.
 */
function write(before: PspRequest, after: PspRequest, driver: Driver, lease = false): Change {
  const { verdict, pspReference, nextStepAt, stuckAt, fence, leasedBy, decidedAt, lookAgainAt } = after;
  const firstStuckAt = before.firstStuckAt ? null : after.firstStuckAt;
  const mine = before.leasedBy === null || before.leasedBy === driver.token;
  return update(
    pspRequests,
    { merchantId: before.merchantId, entityKey: before.entityKey, route: before.route },
    {
      verdict,
      pspReference,
      nextStepAt,
      stuckAt,
      ...(firstStuckAt ? { firstStuckAt } : {}),
      fence,
      leasedBy,
      leasedUntil: lease ? fromNow(driver.leaseMs) : null,
      decidedAt,
      lookAgainAt,
    },
    { fence: before.fence, verdict: 'open' },
    mine ? null : 'leasedUntil',
  );
}

function replaceLast(story: OperationStory, last: RouteStory): OperationStory {
  return { ...story, routes: [...story.routes.slice(0, -1), last] };
}
