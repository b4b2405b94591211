import { audit } from '../database/audit.js';
import { checkpoint } from '../core/checkpoint.js';
import { type Clock } from '../core/clock.js';
import { type Change, gatedByFirst, insert, type Store, update } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Lease } from '../core/lease.js';
import { type LockHolder } from '../core/lock-holder.js';
import { Problem } from '../core/problem.js';
import { type NotificationItem } from '../psp/notification.js';
import { type Run } from '../idempotency/phases.js';
import { type Answered, type Call, isCall, type OperationHistory } from './attempt.js';
import { type StepResult, evidenceOnly } from './advance.js';
import { recheck, rechecked } from './delayed-lookup.js';
import { type RuledOut } from './next-step.js';
import { attribute, isUnheardOf, note, type Taken } from './notification.js';
import { type PspAttempt, type PspRequest } from './psp-request.entity.js';
import { pspAttempts, pspRequests } from './psp-request.table.js';
import { type Statement, statementAttempt } from './statement.js';
import { type RequestStorage } from './request-storage.js';

/** As much of a run as driving a route takes; a worker that drives without a key has no more. */
export type AdvanceRun = Pick<Run, 'lockToken' | 'leaseMs' | 'traceId' | 'clientWaiting' | 'deadline'> & {
  /** An operator has the PSP asked at least once after this attempt. */
  readonly operatorAskedAfter?: number;
};

/** A decision about an operation, with all that it wants written. */
export interface Settled<State> {
  readonly state: State;
  readonly stepResult: StepResult;
  readonly changes: readonly Change[];
}

/** A payment, or a payout. */
export type Subject = Pick<PspRequest, 'merchantId' | 'paymentId' | 'payoutId'>;

/** Which operation, of what. */
export type Operated = Subject & Pick<PspRequest, 'entityKey'>;

/** What the room that owns an operation knows how to do with it. */
export interface OperationOwner<State> {
  /** The subject of the route as the tables have it now. Throws where there is none. */
  read(of: Subject): Promise<State>;
  storyOf(state: State, entityKey: string): OperationHistory;
  /** Every operation of the subject, by entity key. */
  storiesOf(state: State): ReadonlyMap<string, OperationHistory>;
  /** Takes in an answer, if there is one, and decides. Pure. */
  decide(state: State, history: OperationHistory, run: AdvanceRun, answered?: Answered): Settled<State>;
  /** The state with a call to make. */
  withCall(state: State, call: Call): State;
  /** Makes the call that the state has written down. */
  perform(state: State, run: Pick<Run, 'lease'>): Promise<Answered>;
  /** What it changes that a refund which the PSP had done has come to nothing. Who owns no refunds has none. */
  reverse?(state: State, request: PspRequest, evidence: RuledOut): Promise<readonly Change[]>;
}

export interface OperationResolverDeps {
  readonly store: Store;
  readonly storage: Pick<
    RequestStorage,
    'accountAt' | 'belongsElsewhere' | 'capabilities' | 'isOtherAccount'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Absent: leases end by time alone. */
  readonly holder?: LockHolder;
  readonly leaseMs: number;
}

/** Calls made for one route in one pass. The schedule decides when the next pass is. */
const MAX_CALLS = 8;
const MAX_REFUSALS = 4;

/**
 * Drives an open route on when no client asks: the same decisions as in a request, under a lease of its
 * own instead of a client's key. The key, if it is still unanswered, is answered by the completer or
 * by the client's next try.
 */
export class OperationResolver<State> {
  constructor(
    protected readonly owner: OperationOwner<State>,
    protected readonly deps: OperationResolverDeps,
  ) {}

  /** False when another run drives the route, or it is decided already. */
  async driveOn(due: Operated, traceId: string): Promise<boolean> {
    return this.follow(due, await this.owner.read(due), this.newRun(traceId));
  }

  /**
   * Asks the PSP of an open route at least once, because an operator wants to know. Returns the calls that
   * were made: none where the PSP can be asked nothing, or another run drives the route.
   */
  async askNow(due: Operated, traceId: string): Promise<readonly PspAttempt[]> {
    const { owner } = this;
    const attemptsOf = (state: State) => owner.storyOf(state, due.entityKey).routes.at(-1)!.attempts;
    const state = await owner.read(due);
    const last = attemptsOf(state).at(-1)!.attempt;
    await this.follow(due, state, { ...this.newRun(traceId), operatorAskedAfter: last });
    return attemptsOf(await owner.read(due)).filter((a) => isCall(a) && a.traceId === traceId);
  }

  /**
   * Decides a stuck route by what a person found out, with all that follows from it, in one commit.
   * @throws Problem `invalid_state` where it is not stuck, `validation_failed` where the PSP's id is needed, or that of
   *   another operation
   */
  async resolveStuck(stuck: Operated, statement: Statement, traceId: string): Promise<PspRequest> {
    const { owner } = this;
    const { clock, ids, storage } = this.deps;
    for (let tries = 0; tries < MAX_REFUSALS; tries++) {
      const state = await owner.read(stuck);
      const history = owner.storyOf(state, stuck.entityKey);
      const route = history.routes.at(-1)!;
      const { request } = route;
      if (request.verdict !== 'open' || request.stuckAt === null) {
        throw new Problem('invalid_state', `${stuck.entityKey} is not stuck.`);
      }
      const isPayment = request.operation === 'charge' || request.operation === 'authorize';
      if (statement.isDone && isPayment && (statement.pspReference ?? request.pspReference) === null) {
        throw new Problem('validation_failed', "What was done needs the PSP's id of it.");
      }
      const { pspReference } = statement;
      if (pspReference !== null && (await storage.belongsElsewhere(request, pspReference))) {
        throw new Problem('validation_failed', `${pspReference} is the PSP's id of another operation.`);
      }
      const now = clock.now();
      const attempt = statementAttempt(route, statement, now, traceId);
      const known = {
        ...history,
        routes: [...history.routes.slice(0, -1), { ...route, attempts: [...route.attempts, attempt] }],
      };
      const settled = owner.decide(state, known, this.newRun(traceId));
      const decided = settled.stepResult.history.routes.at(-1)!.request;
      if (decided.verdict !== (statement.isDone ? 'effective' : 'ruled_out')) {
        throw new Problem('invalid_state', `The PSP itself says otherwise of ${stuck.entityKey}.`);
      }
      const record = audit({
        merchantId: stuck.merchantId,
        id: ids.uuid(),
        at: now,
        actor: statement.by,
        action: 'route.resolved',
        subject: stuck.paymentId === null ? `payout:${stuck.payoutId}` : `payment:${stuck.paymentId}`,
        detail: {
          entity_key: stuck.entityKey,
          route: request.route,
          as: statement.isDone ? 'done' : 'not-done',
          evidence: statement.evidence,
          psp_reference: statement.pspReference,
        },
      });
      const changes = [...settled.changes, insert(pspAttempts, attempt), record];
      if (await this.write('resolved', changes)) return decided;
    }
    throw new Problem('overloaded', 'The operation changes too fast.', { retryAfterS: 1 });
  }

  /** From what is known, and an answer if there is one, as far as the route goes now. */
  protected async follow(due: Operated, from: State, run: AdvanceRun, first?: Answered): Promise<boolean> {
    const { owner } = this;
    let state = from;
    let answered = first;
    let refusals = 0;
    for (let calls = 0; calls < MAX_CALLS && refusals < MAX_REFUSALS;) {
      const history = owner.storyOf(state, due.entityKey);
      if (history.routes.at(-1)!.request.verdict !== 'open' && !answered) return false;
      const settled = owner.decide(state, history, run, answered);
      const lease = this.newLease(run.lockToken);
      const isWritten = settled.changes.length === 0 || (await this.write('driven', settled.changes));
      if (!isWritten) {
        refusals += 1;
        state = await owner.read(due);
        continue;
      }
      if (!settled.stepResult.call) return true;
      answered = await owner.perform(settled.state, { lease });
      state = settled.state;
      calls += 1;
    }
    if (answered) await this.leaveEvidence(due, answered);
    return false;
  }

  /**
   * Looks once more at a route that was ruled out because nothing was found there; what is found is
   * recorded as an orphan effect. False when another worker looks.
   */
  async lookAgain(due: PspRequest, traceId: string): Promise<boolean> {
    const { owner } = this;
    const { store, clock, leaseMs } = this.deps;
    const state = await owner.read(due);
    const history = owner.storyOf(state, due.entityKey);
    const route = history.routes.find(({ request }) => request.route === due.route);
    if (route?.request.fence !== due.fence) return false;
    const { lockToken: token } = this.newRun(traceId);
    const { changes, call } = recheck(route, { token, leaseMs, traceId }, clock.now());
    const lease = this.newLease(token);
    if (!(await store.commit(gatedByFirst(changes))).done) return false;
    const answered = await owner.perform(owner.withCall(state, call), { lease });
    for (let tries = 0; tries < MAX_REFUSALS; tries++) {
      const known = owner.storyOf(await owner.read(due), due.entityKey);
      if (await this.write('looked', rechecked(known, answered, clock.now()))) return true;
    }
    return false;
  }

  /**
   * Takes in what a PSP told of its own accord about an operation of this subject: writes it down, and
   * decides the operation with it unless another run drives it.
   */
  async take(of: Subject, psp: string, fact: NotificationItem, traceId: string): Promise<Taken> {
    const { owner } = this;
    const { storage, clock, leaseMs } = this.deps;
    for (let tries = 0; tries < MAX_REFUSALS; tries++) {
      const state = await owner.read(of);
      const histories = owner.storiesOf(state);
      const attribution = attribute(histories, psp, fact);
      if (attribution === null) return 'unknown';
      if (attribution === 'contradiction') return attribution;
      const { route } = attribution;
      const now = clock.now();
      const noted = note(
        attribution,
        histories,
        fact,
        storage.capabilities(psp),
        { leaseMs },
        { now, traceId },
      );
      const { request } = route;
      const { pspReference } = fact;
      const isNews = noted.changes.length > 0 && isUnheardOf(route, pspReference);
      if (isNews && (await storage.belongsElsewhere(request, pspReference!))) return 'contradiction';
      const undone = noted.reversed ? await owner.reverse?.(state, request, noted.reversed) : undefined;
      const changes = [...noted.changes, ...(undone ?? [])];
      if (changes.length > 0 && !(await this.write('noticed', changes))) continue;
      if (noted.taken !== 'recorded') return noted.taken;
      // The run that drives it finds the fact, since it raised the fence of the route.
      if (request.leasedBy !== null) return 'recorded';
      const { entityKey } = request;
      return (await this.decideWithoutCall({ ...of, entityKey }, traceId)) ? 'applied' : 'recorded';
    }
    throw new Problem('overloaded', 'The operation changes too fast.', { retryAfterS: 1 });
  }

  /**
   * Decides by what is known. A call that is due is left to the resolver of its account: a PSP that hangs would
   * hold a place in the queue that the notifications of all PSPs share. False where nothing was decided.
   */
  private async decideWithoutCall(due: Operated, traceId: string): Promise<boolean> {
    const { owner } = this;
    const now = this.deps.clock.now();
    for (let tries = 0; tries < MAX_REFUSALS; tries++) {
      const state = await owner.read(due);
      const history = owner.storyOf(state, due.entityKey);
      const { request } = history.routes.at(-1)!;
      if (request.verdict !== 'open' || request.leasedBy !== null) return false;
      const { stepResult, changes } = owner.decide(state, history, this.newRun(traceId));
      const isDecided = stepResult.call === null;
      const written = isDecided ? changes : dueAt(request, now);
      if (written.length === 0 || (await this.write('driven', written))) return isDecided;
    }
    return false;
  }

  protected newRun(traceId: string): AdvanceRun {
    const { clock, ids, holder, leaseMs } = this.deps;
    const lockToken = holder?.newToken() ?? ids.uuid();
    return { lockToken, leaseMs, traceId, clientWaiting: false, deadline: clock.now() };
  }

  /** As of now: taken right before the commit that writes a call down. */
  protected newLease(token: string): Lease {
    const { clock, leaseMs, holder } = this.deps;
    return new Lease(clock, leaseMs, () => holder?.holds(token) ?? true);
  }

  /** False when the commit was refused. */
  protected async write(place: string, changes: readonly Change[]): Promise<boolean> {
    await checkpoint(`commit:before:${place}`);
    const { done } = await this.deps.store.commit(gatedByFirst(changes));
    if (done) await checkpoint(`commit:after:${place}`);
    return done;
  }

  /** Whatever came of the call is written down, even where another run decides about it. */
  protected async leaveEvidence(due: Operated, answered: Answered): Promise<void> {
    for (let tries = 0; tries < MAX_REFUSALS; tries++) {
      const history = this.owner.storyOf(await this.owner.read(due), due.entityKey);
      const changes = evidenceOnly(history, answered);
      if (changes.length === 0 || (await this.deps.store.commit(gatedByFirst(changes))).done) return;
    }
  }
}

/** Has the resolver look at an open route; nothing where it is due already. */
function dueAt(
  { merchantId, entityKey, route, fence, nextStepAt }: PspRequest,
  now: Date,
): readonly Change[] {
  if (nextStepAt !== null && nextStepAt <= now) return [];
  const set = { nextStepAt: now, stuckAt: null, stuckReason: null, fence: fence + 1 };
  return [
    update(pspRequests, { merchantId, entityKey, route }, set, { fence, verdict: 'open' }, 'leasedUntil'),
  ];
}
