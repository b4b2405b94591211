import { audit } from '../database/audit.js';
import { checkpoint } from '../core/checkpoint.js';
import { type Change, gatedByFirst, insert, update } from '../core/change.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import { Problem } from '../core/problem.js';
import { type Capabilities } from '../psp/contract.js';
import { type NotificationItem } from '../psp/notification.js';
import {
  type Decision,
  leaveEvidence,
  newLease,
  newRun,
  nowHeld,
  OperationRun,
  type Run,
  type RunLock,
  type RunTools,
  type Steps,
} from '../idempotency/operation-run.js';
import {
  type AnsweredCall,
  type Call,
  isCall,
  type OperationHistory,
  responseOf,
} from './decisions/attempt.js';
import { type StepResult, evidenceOnly } from './decisions/advance.js';
import { type RouteHistory } from './decisions/assess-route.js';
import {
  askAboutStated,
  endLookups,
  recheck,
  rechecked,
  wouldFindLaterRoute,
} from './decisions/delayed-lookup.js';
import { type RuledOut } from './decisions/next-step.js';
import {
  attribute,
  isUnknownReference,
  recordItem,
  type NotificationOutcome,
} from './decisions/record-notification.js';
import { type PspAttempt, type Route } from './route.entity.js';
import { pspAttempts, pspRequests } from './route.table.js';
import { type Statement, statementAttempt } from './decisions/person-statement.js';
import { refusalOf, wordAgainst, wordsOf } from './decisions/person-statement-rules.js';
import { type OperationTools } from './operation-tools.js';

/** A decision about an operation, with all that it wants written. */
export interface RouteDecision<State> {
  readonly state: State;
  readonly stepResult: StepResult;
  readonly changes: readonly Change[];
}

/** A payment, or a payout. */
export type Subject = Pick<Route, 'merchantId' | 'paymentId' | 'payoutId'>;

/** Which operation, of what. */
export type Operated = Subject & Pick<Route, 'entityKey'>;

/** The next step as of now, and its reasons. */
export interface StepPreview {
  readonly step: StepResult['step'];
  readonly route: RouteHistory;
  readonly capabilities: Capabilities;
  readonly now: Date;
}

/** The operations of one kind of subject, payments or payouts, as the module that owns them advances them. */
export interface SubjectOperations<State> {
  /** The subject of the route as the tables have it now. Throws where there is none. */
  read(of: Subject): Promise<State>;
  /** Every operation of the subject, by entity key. */
  historiesOf(state: State): ReadonlyMap<string, OperationHistory>;
  /** Decides, with an answer if there is one. Pure. */
  decide(state: State, history: OperationHistory, run: Run, answered?: AnsweredCall): RouteDecision<State>;
  /** The state with this call to make, or none. */
  withCall(state: State, call: Call | null): State;
  /** Makes the call that the state has committed. */
  call(state: State, run: Pick<Run, 'lease'>): Promise<AnsweredCall>;
  /**
   * The changes for a capture, refund or payout that the PSP had done and that failed later; null if what was done since
   * rests on it, which is for a person.
   */
  reverse?(state: State, request: Route, evidence: RuledOut): Promise<readonly Change[] | null>;
  /** The changes, with what the merchant is told of orphan effects among them. */
  withOrphanEvents?(state: State, changes: readonly Change[]): readonly Change[];
}

/** All that is stored of an answer by a run that may not decide any more. */
export function evidenceOf<State>(
  operations: SubjectOperations<State>,
  state: State,
  answered: AnsweredCall,
): readonly Change[] {
  const history = operations.historiesOf(state).get(answered.call.request.entityKey)!;
  return withOrphanEvents(operations, state, evidenceOnly(history, answered));
}

function withOrphanEvents<State>(
  operations: SubjectOperations<State>,
  state: State,
  changes: readonly Change[],
): readonly Change[] {
  return operations.withOrphanEvents?.(state, changes) ?? changes;
}

/**
 * Advances an open route when no client asks: the same decisions as in a request, under a lease of the route
 * instead of a client's key. The completer or the client's next try answers the key, if it has no answer yet.
 */
export class RouteWorker<State> {
  constructor(
    protected readonly operations: SubjectOperations<State>,
    protected readonly deps: Omit<OperationTools, 'seal'>,
  ) {}

  /** False when another run advances the route, or it is decided already. */
  async advance(due: Operated, traceId: string): Promise<boolean> {
    return this.follow(due, await this.operations.read(due), newRun(this.deps, traceId, null));
  }

  /**
   * Asks the PSP of an open route at least once, for an operator. Returns the calls that were made: none if the PSP
   * allows no call, or if another run advances the route. `looksUp`: with a lookup alone.
   */
  async askNow(due: Operated, traceId: string, looksUp = false): Promise<readonly PspAttempt[]> {
    const { operations } = this;
    const attemptsOf = (state: State) => this.historyOf(state, due.entityKey).routes.at(-1)!.attempts;
    const state = await operations.read(due);
    const operatorAskedAfter = attemptsOf(state).at(-1)!.attempt;
    const run = { ...newRun(this.deps, traceId, null), operatorAskedAfter, operatorLooksUp: looksUp };
    await this.follow(due, state, run);
    return attemptsOf(await operations.read(due)).filter((a) => isCall(a) && a.traceId === traceId);
  }

  /**
   * Asks the PSP of a stuck route about the object that a person says it made; null where there is nothing to ask about
   * or nobody to ask. Returns what it says.
   * @throws Problem as `resolveStuck`, and `invalid_state` where the PSP does not say that this is the operation, with its
   *   words, unless the person overrules it
   */
  async lookUpStated(stuck: Operated, statement: Statement, traceId: string): Promise<string | null> {
    const { operations } = this;
    const { storage, clock } = this.deps;
    const { isDone, pspReference } = statement;
    if (!isDone || pspReference === null) return null;
    await this.assessStatement(stuck, statement, traceId);
    const state = await operations.read(stuck);
    const { entityKey } = stuck;
    const route = this.historyOf(state, entityKey).routes.at(-1)!;
    if (storage.promisesOf(route.request).lookup === null || storage.isOtherAccount(route.request))
      return null;
    const run = newRun(this.deps, traceId, null);
    const { changes, call } = askAboutStated(route, pspReference, run, clock.now());
    if (!(await this.write('asking', changes))) {
      throw new Problem('invalid_state', `${entityKey} has changed meanwhile. Look again.`);
    }
    const answered = await operations.call(operations.withCall(state, call), run);
    await leaveEvidence(this.deps, async () =>
      evidenceOf(operations, await operations.read(stuck), answered),
    );
    const { outcome, pspCode = null } = answered.answer;
    const says = `${route.request.psp} says of ${pspReference}: ${wordsOf({ outcome, pspCode, response: responseOf(answered.answer) })}`;
    if (outcome !== 'succeeded' && !statement.overrulesPsp) {
      throw new Problem('invalid_state', `${says}. Nothing was decided.`);
    }
    return says;
  }

  /**
   * Decides a stuck route by a person's statement, with all consequences, in one commit. What was done is looked up first,
   * where the PSP can be asked.
   * @throws Problem `invalid_state` where it is not stuck, or is about to be sent to a bank, or the statement is not to be
   *   taken (`refusalOf`, `lookUpStated`), `validation_failed` where the PSP's id is needed, or that of another operation
   */
  async resolveStuck(stuck: Operated, statement: Statement, traceId: string): Promise<Route> {
    await this.lookUpStated(stuck, statement, traceId);
    return decideAgain<Route>(this.deps, async () => {
      const { settled, attempt, decided } = await this.assessStatement(stuck, statement, traceId);
      const record = audit({
        merchantId: stuck.merchantId,
        id: this.deps.ids.uuid(),
        at: attempt.startedAt,
        actor: statement.by,
        action: 'route.resolved',
        subject: stuck.paymentId === null ? `payout:${stuck.payoutId}` : `payment:${stuck.paymentId}`,
        detail: {
          entity_key: stuck.entityKey,
          route: attempt.route,
          as: statement.isDone ? 'done' : 'not-done',
          evidence: statement.evidence,
          psp_reference: statement.pspReference,
        },
      });
      const changes = [...settled.changes, insert(pspAttempts, attempt), record];
      return (await this.write('resolved', changes)) ? decided : REFUSED;
    });
  }

  /** Previews the first step of `askNow`; writes nothing. */
  async foreseeAsk(due: Operated, looksUp = false): Promise<StepPreview> {
    const { operations, deps } = this;
    const state = await operations.read(due);
    const history = this.historyOf(state, due.entityKey);
    const route = history.routes.at(-1)!;
    const operatorAskedAfter = route.attempts.at(-1)!.attempt;
    const run = { ...newRun(deps, 'foresee', null), operatorAskedAfter, operatorLooksUp: looksUp };
    const { step } = operations.decide(state, history, run).stepResult;
    const capabilities = deps.storage.promisesOf(route.request);
    return { step, route, capabilities, now: deps.clock.now() };
  }

  /**
   * Previews the decision of `resolveStuck`, with what the PSP has said against it (`wordAgainst`); writes nothing.
   * @throws Problem as `resolveStuck` does
   */
  async foreseeResolution(
    stuck: Operated,
    statement: Statement,
  ): Promise<{ readonly decided: Route; readonly against: string | null }> {
    const { decided, route } = await this.assessStatement(stuck, statement, 'foresee');
    return { decided, against: wordAgainst(route, statement.isDone) };
  }

  /** The result of a person's statement for a stuck route. @throws Problem if the statement cannot decide it */
  private async assessStatement(stuck: Operated, statement: Statement, traceId: string) {
    const { operations } = this;
    const { clock, storage } = this.deps;
    const state = await operations.read(stuck);
    const history = this.historyOf(state, stuck.entityKey);
    const route = history.routes.at(-1)!;
    const { request } = route;
    if (request.verdict !== 'open' || request.stuckAt === null) {
      throw new Problem('invalid_state', `${stuck.entityKey} is not stuck.`);
    }
    const can = storage.promisesOf(request);
    const refusal = refusalOf(route, statement, can, { leaseMs: this.deps.leaseMs }, clock.now());
    if (refusal !== null) throw new Problem('invalid_state', refusal);
    const isPayment = request.operation === 'charge' || request.operation === 'authorize';
    if (statement.isDone && isPayment && (statement.pspReference ?? request.pspReference) === null) {
      throw new Problem('validation_failed', "What was done needs the PSP's id of it.");
    }
    const { pspReference } = statement;
    if (pspReference !== null && (await storage.belongsElsewhere(request, pspReference))) {
      throw new Problem('validation_failed', `${pspReference} is the PSP's id of another operation.`);
    }
    const attempt = statementAttempt(route, statement, clock.now(), traceId);
    const known = {
      ...history,
      routes: [...history.routes.slice(0, -1), { ...route, attempts: [...route.attempts, attempt] }],
    };
    const settled = operations.decide(state, known, newRun(this.deps, traceId, null));
    const decided = settled.stepResult.history.routes.at(-1)!.request;
    if (decided.verdict !== (statement.isDone ? 'effective' : 'ruled_out')) {
      throw new Problem('invalid_state', `The PSP itself says otherwise of ${stuck.entityKey}.`);
    }
    return { settled, attempt, decided, route };
  }

  /** Advances from a state as far as possible now; makes the call first if the state has a committed one. */
  protected async follow(due: Operated, state: State, run: Run, calls = false): Promise<boolean> {
    const { operations, deps } = this;
    const loop = new OperationRun(deps, stepsOf(operations, due), leaseOf(deps, operations, due, run), run);
    const rest = await (calls ? loop.toRest({ go: 'call', state, changes: [] }) : loop.advance(state));
    return rest.advanced;
  }

  protected historyOf(state: State, entityKey: string): OperationHistory {
    return this.operations.historiesOf(state).get(entityKey)!;
  }

  /**
   * Looks up again a route that was ruled out because nothing was found; an object found now is recorded as an
   * orphan effect. False if another worker does.
   */
  async recheckRoute(due: Route, traceId: string): Promise<boolean> {
    const { operations } = this;
    const { store, clock } = this.deps;
    const state = await operations.read(due);
    const history = this.historyOf(state, due.entityKey);
    const route = history.routes.find(({ request }) => request.route === due.route);
    if (route?.request.version !== due.version) return false;
    if (wouldFindLaterRoute(history, route)) return this.write('looked', [endLookups(route)]);
    const run = newRun(this.deps, traceId, null);
    const { changes, call } = recheck(route, run, clock.now());
    if (!(await store.commit(gatedByFirst(changes))).done) return false;
    const answered = await operations.call(operations.withCall(state, call), run);
    return decideAgain<boolean>(
      this.deps,
      async () => {
        const state = await operations.read(due);
        const changes = rechecked(this.historyOf(state, due.entityKey), answered, clock.now());
        return (await this.write('looked', withOrphanEvents(operations, state, changes))) || REFUSED;
      },
      () => false,
    );
  }

  /**
   * Stores a fact from a notification about an operation of this subject, and decides the operation with it unless
   * another run advances it.
   */
  async recordNotification(
    of: Subject,
    psp: string,
    fact: NotificationItem,
    traceId: string,
  ): Promise<NotificationOutcome> {
    const { operations } = this;
    const { storage, clock, leaseMs } = this.deps;
    return decideAgain<NotificationOutcome>(this.deps, async () => {
      const state = await operations.read(of);
      const histories = operations.historiesOf(state);
      const attribution = attribute(histories, psp, fact, storage.capabilities(psp));
      if (attribution === null) return 'unknown';
      if (attribution === 'contradiction') return attribution;
      const { route } = attribution;
      const can = storage.promisesOf(route.request);
      const now = clock.now();
      const noted = recordItem(attribution, histories, fact, can, { leaseMs }, { now, traceId });
      const { request } = route;
      const { pspReference } = fact;
      const isNews = noted.changes.length > 0 && isUnknownReference(route, pspReference);
      if (isNews && (await storage.belongsElsewhere(request, pspReference!))) return 'contradiction';
      const undone = noted.reversed ? await operations.reverse?.(state, request, noted.reversed) : undefined;
      const changes = [...withOrphanEvents(operations, state, noted.changes), ...(undone ?? [])];
      if (changes.length > 0 && !(await this.write('noticed', changes))) return REFUSED;
      if (undone === null) return 'contradiction';
      if (noted.taken !== 'recorded') return noted.taken;
      // The run that advances it reads the fact, since storing it raised the version of the route.
      if (request.leasedBy !== null) return 'recorded';
      const { entityKey } = request;
      return (await this.decideWithoutCall({ ...of, entityKey }, traceId)) ? 'applied' : 'recorded';
    });
  }

  /**
   * Decides without a call. The resolver of the account makes a due call: a PSP that hangs would block a place in
   * the queue that the notifications of all PSPs share. False if nothing was decided.
   */
  private async decideWithoutCall(due: Operated, traceId: string): Promise<boolean> {
    const { operations } = this;
    const now = this.deps.clock.now();
    return decideAgain<boolean>(
      this.deps,
      async () => {
        const state = await operations.read(due);
        const history = this.historyOf(state, due.entityKey);
        const { request } = history.routes.at(-1)!;
        if (request.verdict !== 'open' || request.leasedBy !== null) return false;
        const { stepResult, changes } = operations.decide(state, history, newRun(this.deps, traceId, null));
        const isDecided = stepResult.call === null;
        const written = isDecided ? changes : dueAt(request, now);
        return written.length === 0 || (await this.write('driven', written)) ? isDecided : REFUSED;
      },
      () => false,
    );
  }

  /** False when the commit was refused. */
  protected write(place: string, changes: readonly Change[]): Promise<boolean> {
    return commitAt(this.deps, place, changes);
  }
}

interface RouteRest {
  readonly go: 'rest';
  readonly changes: readonly Change[];
  /** False where another run advances the route, or it is decided already. */
  readonly advanced: boolean;
}

/** A lease of the route, which every commit of the run renews. */
function leaseOf<State>(
  tools: RunTools,
  operations: SubjectOperations<State>,
  due: Operated,
  run: Run,
): RunLock<State, RouteRest> {
  return {
    async write({ changes }) {
      if (changes.length === 0) return 'written';
      const lease = newLease(tools, run.lockToken);
      const done = await commitAt(tools, 'driven', changes);
      if (done) nowHeld(run, lease);
      return done ? 'written' : 'refused';
    },
    read: () => operations.read(due),
    stepBack: () => Promise.resolve({ go: 'rest', changes: [], advanced: false }),
  };
}

/** The steps of one operation, whether or not other operations of its subject are open. */
function stepsOf<State>(
  operations: SubjectOperations<State>,
  { entityKey }: Operated,
): Steps<State, AnsweredCall, RouteRest> {
  const historyOf = (state: State) => operations.historiesOf(state).get(entityKey)!;
  const decide = (from: State, run: Run, answered?: AnsweredCall): Decision<State, RouteRest> => {
    const { state, stepResult, changes } = operations.decide(from, historyOf(from), run, answered);
    return stepResult.call ? { go: 'call', state, changes } : { go: 'rest', changes, advanced: true };
  };
  return {
    next(state, run) {
      const isOpen = historyOf(state).routes.at(-1)!.request.verdict === 'open';
      return isOpen ? decide(state, run) : { go: 'rest', changes: [], advanced: false };
    },
    call: (state, run) => operations.call(state, run),
    settle: (state, answered, run) => decide(state, run, answered),
    evidence: (state, answered) => evidenceOf(operations, state, answered),
  };
}

async function commitAt({ store }: RunTools, place: string, changes: readonly Change[]): Promise<boolean> {
  await checkpoint(`commit:before:${place}`);
  const result = await store.commit(gatedByFirst(changes));
  if (result.done) await checkpoint(`commit:after:${place}`);
  else if (result.refused.by === 'check' && result.refused.rule === 'non_execution_proofs_unsent') {
    throw new Problem(
      'invalid_state',
      'It stands in a file for the bank that is not sent yet: what is sent later cannot be said to be not done.',
    );
  }
  return result.done;
}

/** Makes an open route due for the resolver, if it is not due yet. */
function dueAt({ merchantId, entityKey, route, version, nextStepAt }: Route, now: Date): readonly Change[] {
  if (nextStepAt !== null && nextStepAt <= now) return [];
  const set = { nextStepAt: now, stuckAt: null, stuckReason: null, version: version + 1 };
  return [
    update(pspRequests, { merchantId, entityKey, route }, set, { version, verdict: 'open' }, 'leasedUntil'),
  ];
}
