import { type Change, type Refusal } from '../core/change.js';
import { type Clock } from '../core/clock.js';
import {
  type BeginResult,
  type Decision,
  decideNext,
  type KeyedRun,
  makeCall,
  type Operation,
  pause,
  type Pause,
  type RecoveryPoint,
  reply,
} from '../idempotency/operation.js';
import { type AnsweredCall, type OperationHistory } from './decisions/attempt.js';
import { evidenceOf, type SubjectOperations, type RouteDecision } from './route-worker.js';

/** The operations of a subject, as a client's request sees them. */
export interface ClientOperations<State> extends SubjectOperations<State> {
  /** The undecided operation that must be resolved before another one can be opened. */
  undecided(state: State): OperationHistory | null;
  /** The entity key of the requested operation. */
  requestedKey(state: State): string;
  /** The subject as the API shows it, in JSON. */
  bodyOf(state: State): string;
}

/**
 * A client's request about operations of one subject, a payment or a payout: what is undecided is resolved first,
 * by the same decisions as the resolver's; then the requested operation is opened, called and settled.
 */
export abstract class OperationFlow<Input, State> implements Operation<Input, State, AnsweredCall> {
  abstract readonly name: string;
  abstract readonly readsFirst: boolean;

  constructor(
    protected readonly operations: ClientOperations<State>,
    private readonly clock: Clock,
  ) {}

  abstract begin(
    input: Input,
    run: KeyedRun,
    refused: Refusal | null,
  ): Promise<BeginResult<State>> | BeginResult<State>;
  abstract load(
    subjectId: string,
    params: Record<string, unknown>,
    recoveryPoint: string,
    run: KeyedRun,
  ): Promise<State>;

  protected undecided(state: State): OperationHistory | null {
    return this.operations.undecided(state);
  }

  /** Nothing is undecided: opens the requested operation, or answers. */
  protected open(state: State, _run: KeyedRun): Decision<State> {
    return this.answered(state);
  }

  /** The requested operation is already done. */
  protected isAlreadySatisfied(_state: State): boolean {
    return false;
  }

  /** 201 if the request made what it answers, 200 if that existed. */
  protected statusOf(_state: State): number {
    return 200;
  }

  protected bodyOf(state: State): string {
    return this.operations.bodyOf(state);
  }

  /** `started`: the requested operation is not opened yet. */
  protected resumesAt(_state: State): RecoveryPoint {
    return 'accepted';
  }

  next(state: State, run: KeyedRun): Decision<State> {
    const undecided = this.undecided(state);
    return undecided ? this.follow(this.operations.decide(state, undecided, run)) : this.open(state, run);
  }

  call(state: State, run: KeyedRun): Promise<AnsweredCall> {
    return this.operations.call(state, run);
  }

  settle(state: State, answered: AnsweredCall, run: KeyedRun): Decision<State> {
    return this.follow(this.operations.decide(state, this.historyOf(state, answered), run, answered));
  }

  evidence(state: State, answered: AnsweredCall): readonly Change[] {
    return evidenceOf(this.operations, state, answered);
  }

  busy(state: State): Pause {
    return this.paused(state, { until: this.clock.now(), isAccepted: false });
  }

  /**
   * From the result of an operation to the step of the request: call, answer, pause, or open the requested
   * operation.
   */
  protected follow({ state, stepResult, changes }: RouteDecision<State>): Decision<State> {
    const { call, step, history } = stepResult;
    if (call) return makeCall(state, changes);
    if (step.do === 'wait') {
      const isAccepted = step.why === 'requires_action' || step.why === 'pending';
      return this.paused(state, { until: step.until, isAccepted }, changes);
    }
    if (step.do === 'stuck') return this.paused(state, { until: null, isAccepted: false }, changes);
    const isRequested = history.entityKey === this.operations.requestedKey(state);
    return isRequested || this.isAlreadySatisfied(state)
      ? this.answered(state, changes)
      : decideNext(this.operations.withCall(state, null), changes);
  }

  protected answered(state: State, changes: readonly Change[] = []): Decision<State> {
    return reply(this.statusOf(state), this.bodyOf(state), changes);
  }

  private paused(
    state: State,
    wait: Pick<Pause, 'until' | 'isAccepted'>,
    changes: readonly Change[] = [],
  ): Pause {
    return pause(this.resumesAt(state), 202, this.bodyOf(state), wait, changes);
  }

  private historyOf(state: State, { call }: AnsweredCall): OperationHistory {
    return this.operations.historiesOf(state).get(call.request.entityKey)!;
  }
}
