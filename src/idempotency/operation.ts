import { type Change, type Refusal } from '../core/change.js';
import { type Advance, type Decision as DecisionOf, type Run, type Steps } from './operation-run.js';

/** The changes to write, and the next step: a call, another decision, a final answer, or a preliminary one. */
export type Decision<State> = DecisionOf<State, Reply | Pause>;

/** The point at which a key is resumed; stored with it. */
export type RecoveryPoint = 'accepted' | 'started';

export interface Reply {
  readonly go: 'reply';
  readonly status: number;
  readonly body: string;
  readonly changes: readonly Change[];
}

export interface Pause {
  readonly go: 'pause';
  /** The point at which the key is resumed. */
  readonly at: RecoveryPoint;
  readonly status: number;
  readonly body: string;
  /** When the answer may change; null when a person is needed. */
  readonly until: Date | null;
  /** The customer has to act, or the PSP will tell of the result: the client is answered at once. */
  readonly isAccepted: boolean;
  readonly changes: readonly Change[];
}

/** The changes, then the call in the state. */
export function makeCall<State>(state: State, changes: readonly Change[]): Advance<State> {
  return { go: 'call', state, changes };
}

/** The changes, then another decision. */
export function decideNext<State>(state: State, changes: readonly Change[]): Advance<State> {
  return { go: 'decide', state, changes };
}

/** The changes, and the final answer: every later request with this key gets these bytes. */
export function reply(status: number, body: string, changes: readonly Change[] = []): Reply {
  return { go: 'reply', status, body, changes };
}

/** The changes, and a preliminary answer: the key can be resumed at `at`. */
export function pause(
  at: RecoveryPoint,
  status: number,
  body: string,
  { until, isAccepted }: Pick<Pause, 'until' | 'isAccepted'>,
  changes: readonly Change[] = [],
): Pause {
  return { go: 'pause', at, status, body, until, isAccepted, changes };
}

/** One run of an operation under an idempotency key: from a request, or from a key that was abandoned. */
export interface KeyedRun extends Run {
  readonly merchantId: string;
  readonly key: string;
  /** `api-key:<id>` or `system:completer`. */
  readonly actor: string;
}

/**
 * How requests of one kind run, in chronological order: `begin` (one commit), `call` (no transaction open, no row
 * locked), `settle` (one commit), and so on until there is an answer. Decisions are pure: they return changes, and
 * one commit writes these with the recovery point. A later run can continue from each recovery point, from the
 * tables alone.
 */
export interface Operation<Input, State, Answered = unknown> extends Steps<
  State,
  Answered,
  Reply | Pause,
  KeyedRun
> {
  /** Stored with the key: `POST /v1/payments`. */
  readonly name: string;
  /** True if `begin` reads: then the key is looked up first, so that a replay reads nothing else. */
  readonly readsFirst: boolean;
  /**
   * The first decision. May read; throws `Problem` if nothing is to be stored. `refused`: why the store refused the
   * last decision (and the key does not exist), so that an operation that relies on constraints instead of reading
   * can read now and name the constraint in its answer.
   */
  begin(
    input: Input,
    run: KeyedRun,
    refused: Refusal | null,
  ): Promise<BeginResult<State>> | BeginResult<State>;
  /** The state from the tables alone, for a run that continues where another one stopped. */
  load(
    subjectId: string,
    params: Record<string, unknown>,
    recoveryPoint: string,
    run: KeyedRun,
  ): Promise<State>;
  /** The answer while another run advances the operation. */
  busy(state: State): Pause;
}

export interface BeginResult<State> {
  readonly subjectId: string;
  readonly params: Record<string, unknown>;
  readonly decision: Decision<State>;
}
