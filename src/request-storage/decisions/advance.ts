import { type Change, fromNow, insert, update } from '../../core/change.js';
import { type AttemptKind, type Capabilities, type Operation } from '../../psp/contract.js';
import { pspIdempotencyKey } from '../entity-key.js';
import {
  type AnsweredCall,
  type Call,
  type LeaseHolder,
  newAttempt,
  type OperationHistory,
  record,
  sentAtOf,
} from './attempt.js';
import { referenceIn } from './reference.js';
import { type RouteHistory, isSuccess } from './assess-route.js';
import { delayedLookupAfter } from './delayed-lookup.js';
import { completionStep, nextStep, type RuledOut, type Step, type StepFacts } from './next-step.js';
import { type Route } from '../route.entity.js';
import { statedBy } from './person-statement.js';
import { nonExecutionProofs, pspAttempts, pspRequests } from '../route.table.js';

/** The facts of a new operation, for its first route. */
interface NewOperation {
  readonly merchantId: string;
  /** The payment, or else the payout. */
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  readonly entityKey: string;
  readonly operation: Operation;
  readonly amount: number;
  readonly currency: string;
  /** Facts of the operation that are kept with its first attempt. */
  readonly marks?: Readonly<Record<string, unknown>>;
  /** The key of route 1 at its PSP; see `pspIdempotencyKey`. */
  readonly pspIdempotencyKey: string;
}

/** A PSP account by its name, and which account that is; see `Route.accountFingerprint`. */
export type AccountAt = Required<Pick<Route, 'psp' | 'accountFingerprint'>>;

/** The next step, and the changes for it. `changes` are one commit; `call` may be made only after it is written. */
export interface StepResult {
  readonly history: OperationHistory;
  readonly changes: readonly Change[];
  /** `none`: the route was decided before this answer came. */
  readonly step: Step | { readonly do: 'none' };
  readonly call: Call | null;
}

/** The PSP if its answer or notification decided, the person if a statement did. */
export function actorOf({ history, step }: StepResult): string {
  const by = step.do === 'finish' ? step.by : step.do === 'fail' ? step.evidence.by : null;
  return (by && statedBy(by)) ?? `psp:${history.routes.at(-1)!.request.psp}`;
}

/**
 * Opens route 1 of a new operation with its first attempt, or the next route of one that was tried before and
 * failed: the proof of its last route must be stored, or the database refuses.
 */
export function startOperation(
  opening: NewOperation,
  at: AccountAt,
  holder: LeaseHolder,
  now: Date,
  before?: OperationHistory,
): StepResult {
  const history = before ?? { entityKey: opening.entityKey, routes: [] };
  return startRoute(history, opening, at, holder, now, [], null);
}

/**
 * Decides the next step, with the result of a call if there is one. Pure: all input is in the arguments, all
 * changes are in the result.
 */
export function advance(
  history: OperationHistory,
  facts: StepFacts,
  holder: LeaseHolder,
  answered?: AnsweredCall,
): StepResult {
  const changes: Change[] = [];
  const known = answered ? record(history, answered, changes) : history;
  const current = known.routes.at(-1)!;
  const before = history.routes.at(-1)!.request;
  // The route was decided before this answer came, and clients may know that: the answer is only stored.
  if (before.verdict !== 'open') return { history: known, changes, step: { do: 'none' }, call: null };
  const step = nextStep(known.routes, facts);
  const reference = current.request.pspReference;
  const settle = (set: Partial<Route>) => {
    const request = {
      ...current.request,
      ...set,
      leasedBy: null,
      leasedUntil: null,
      version: before.version + 1,
    };
    changes.push(write(before, request, holder));
    return replaceLast(known, { ...current, request });
  };
  switch (step.do) {
    case 'finish':
      return {
        history: settle({
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
      const ruledOut = ruleOut(settle, evidence, facts.capabilities(before.psp), facts.now, changes);
      if (step.do === 'fail') return { history: ruledOut, changes, step, call: null };
      const at = { psp: step.psp, accountFingerprint: facts.fingerprintOf(step.psp) ?? null };
      return startRoute(ruledOut, current.request, at, holder, facts.now, changes, step);
    }
    case 'wait': {
      const isSo = changes.length === 0 && before.nextStepAt?.getTime() === step.until.getTime();
      // A client that repeats its request learns nothing new, and must not disturb a worker.
      if (isSo && before.leasedBy === null) return { history: known, changes, step, call: null };
      return { history: settle({ nextStepAt: step.until, stuckAt: null }), changes, step, call: null };
    }
    case 'stuck':
      return {
        history: settle({
          nextStepAt: null,
          stuckAt: before.stuckAt ?? facts.now,
          stuckReason: step.why,
          firstStuckAt: before.firstStuckAt ?? facts.now,
        }),
        changes,
        step,
        call: null,
      };
    case 'execute':
    case 'lookup':
    case 'complete':
    case 'cancel':
      return callAgain(known, step, before, holder, facts.now, changes);
  }
}

/**
 * The customer has acted: sends the details of the return to the PSP of the open route, or asks it if it knows by
 * itself. null if it does not wait for a customer.
 */
export function handIn(
  history: OperationHistory,
  facts: Pick<StepFacts, 'capabilities' | 'leaseMs' | 'now'>,
  holder: LeaseHolder,
): StepResult | null {
  const current = history.routes.at(-1)!;
  const step = completionStep(current, facts.capabilities(current.request.psp), facts);
  return step && callAgain(history, step, current.request, holder, facts.now, []);
}

/**
 * The changes of a run that lost its lock and may no longer decide: the answer, as evidence for the present run, and
 * the PSP's id on the open route, for lookups. Raises the version, so that a decision made without it is made
 * again. Empty if the answer is stored already. The first change is a gate.
 */
export function evidenceOnly(history: OperationHistory, answered: AnsweredCall): readonly Change[] {
  const changes: Change[] = [];
  const known = record(history, answered, changes);
  const route = known.routes.find(({ request }) => request.route === answered.call.request.route);
  if (changes.length > 0 && route?.request.verdict === 'open') {
    const { merchantId, entityKey, route: number, version, pspReference } = route.request;
    const key = { merchantId, entityKey, route: number };
    changes.push(
      update(pspRequests, key, { version: version + 1, pspReference }, { version, verdict: 'open' }),
    );
  }
  return changes;
}

function ruleOut(
  settle: (set: Partial<Route>) => OperationHistory,
  evidence: RuledOut,
  can: Capabilities,
  now: Date,
  changes: Change[],
): OperationHistory {
  const { kind, by } = evidence;
  const lookAgainAt = delayedLookupAfter(evidence, can, now);
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

function startRoute(
  history: OperationHistory,
  opening: NewOperation,
  at: AccountAt,
  holder: LeaseHolder,
  now: Date,
  changes: Change[],
  step: Step | null,
): StepResult {
  const { merchantId, paymentId, payoutId, entityKey, operation, amount, currency } = opening;
  const last = history.routes.at(-1)?.request.route ?? 0;
  const route = last + 1;
  const first = history.routes[0]?.request.pspIdempotencyKey;
  const request: Route = {
    merchantId,
    entityKey,
    route,
    operation,
    paymentId,
    payoutId,
    ...at,
    amount,
    currency,
    pspIdempotencyKey:
      first === undefined ? opening.pspIdempotencyKey : pspIdempotencyKey.ofLaterRoute(first, route),
    pspReference: null,
    verdict: 'open',
    nextStepAt: new Date(now.getTime() + holder.leaseMs),
    stuckAt: null,
    version: 1,
    leasedBy: holder.lockToken,
    leasedUntil: null,
    restsOnRoute: last === 0 ? null : last,
    openedAt: now,
    decidedAt: null,
    lookAgainAt: null,
  };
  const made = newAttempt(request, 1, 'execute', holder, now);
  const attempt = opening.marks ? { ...made, request: { ...made.request, ...opening.marks } } : made;
  changes.push(
    insert(pspRequests, { ...request, leasedUntil: fromNow(holder.leaseMs) }),
    insert(pspAttempts, attempt),
  );
  const opened = { entityKey, routes: [...history.routes, { request, attempts: [attempt] }] };
  const call = { request, attempt, sentAt: [now], undo: false };
  return { history: opened, changes, step: step ?? { do: 'execute' }, call };
}

function callAgain(
  history: OperationHistory,
  step: Extract<Step, { do: AttemptKind }>,
  before: Route,
  holder: LeaseHolder,
  now: Date,
  changes: Change[],
): StepResult {
  const kind = step.do;
  const current = history.routes.at(-1)!;
  const request: Route = {
    ...current.request,
    version: before.version + 1,
    nextStepAt: new Date(now.getTime() + holder.leaseMs),
    // A stuck route may still be asked about: by a client, or by a cancel.
    stuckAt: null,
    leasedBy: holder.lockToken,
  };
  const made = newAttempt(request, current.attempts.at(-1)!.attempt + 1, kind, holder, now);
  const marks = {
    ...(step.do === 'cancel' && step.beforeFailover ? { fence: true } : {}),
    ...(step.offSchedule ? { off_schedule: true } : {}),
  };
  const attempt = { ...made, request: { ...made.request, ...marks } };
  changes.push(write(before, request, holder, true), insert(pspAttempts, attempt));
  const attempts = [...current.attempts, attempt];
  return {
    history: replaceLast(history, { request, attempts }),
    changes,
    step,
    call: {
      request,
      attempt,
      sentAt: sentAtOf(attempts),
      undo: kind === 'cancel' && request.pspReference !== null && attempts.some(isSuccess),
    },
  };
}

/**
 * One guarded update of a route. The run that leased it may write; others only after the lease has ended, by the
 * database's clock.
 */
function write(before: Route, after: Route, holder: LeaseHolder, lease = false): Change {
  const { verdict, pspReference, nextStepAt, stuckAt, version, leasedBy, decidedAt, lookAgainAt } = after;
  const stuckReason = stuckAt === null ? null : (after.stuckReason ?? null);
  const firstStuckAt = before.firstStuckAt ? null : after.firstStuckAt;
  const mine = [null, holder.lockToken, holder.heldToken].includes(before.leasedBy);
  return update(
    pspRequests,
    { merchantId: before.merchantId, entityKey: before.entityKey, route: before.route },
    {
      verdict,
      pspReference,
      nextStepAt,
      stuckAt,
      stuckReason,
      ...(firstStuckAt ? { firstStuckAt } : {}),
      version,
      leasedBy,
      leasedUntil: lease ? fromNow(holder.leaseMs) : null,
      decidedAt,
      lookAgainAt,
    },
    { version: before.version, verdict: 'open' },
    mine ? null : 'leasedUntil',
  );
}

function replaceLast(history: OperationHistory, last: RouteHistory): OperationHistory {
  return { ...history, routes: [...history.routes.slice(0, -1), last] };
}
