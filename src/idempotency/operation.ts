import { type Change, type Refusal } from '../core/change.js';
import { type Advance, type Decision as DecisionOf, type Run, type Steps } from './operation-run.js';

/** What is to be written, and what then: a call, another decision, an answer for ever, or one for now. */
export type Decision<State> = DecisionOf<State, Reply | Pause>;

/** Where a key is resumed; stored with it. */
export type RecoveryPoint = 'accepted' | 'started';

export interface Reply {
  readonly go: 'reply';
  readonly status: number;
  readonly body: string;
  readonly changes: readonly Change[];
}

export interface Pause {
  readonly go: 'pause';
  /** Where the key is resumed. */
  readonly at: RecoveryPoint;
  readonly status: number;
  readonly body: string;
  /** When there may be more to say; null when a person is needed. */
  readonly until: Date | null;
  readonly changes: readonly Change[];
}

/** The changes, then the call that the state holds. */
export function makeCall<State>(state: State, changes: readonly Change[]): Advance<State> {
  return { go: 'call', state, changes };
}

/** The changes, then another decision. */
export function decideNext<State>(state: State, changes: readonly Change[]): Advance<State> {
  return { go: 'decide', state, changes };
}

/** The changes, and the answer for ever: every later request with this key gets these bytes. */
export function reply(status: number, body: string, changes: readonly Change[] = []): Reply {
  return { go: 'reply', status, body, changes };
}

/** The changes, and an answer for now: the key stays resumable at `at`. */
export function pause(
  at: RecoveryPoint,
  status: number,
  body: string,
  until: Date | null,
  changes: readonly Change[] = [],
): Pause {
  return { go: 'pause', at, status, body, until, changes };
}

/** One run of an operation under an idempotency key: from a request, or from a key that was abandoned. */
export interface KeyedRun extends Run {
  readonly merchantId: string;
  readonly key: string;
  /** `api-key:<id>` or `system:completer`. */
  readonly actor: string;
}

/**
 * How requests of one kind are carried out, in the order of time: `begin` (one commit), `call` (with nothing open
 * and nothing locked), `settle` (one commit), and from there on until there is an answer. Decisions are pure: what
 * they want written is data, and one commit writes it together with the recovery point. From each of them a later
 * run goes on, from the tables alone.
 */
export interface Operation<Input, State, Answered = unknown> extends Steps<
  State,
  Answered,
  Reply | Pause,
  KeyedRun
> {
  /** Stored with the key: `POST /v1/payments`. */
  readonly name: string;
  /** True when `begin` reads: then the key is looked up first, so that a replay reads nothing else. */
  readonly readsFirst: boolean;
  /**
   * The first decision. May read; throws `Problem` where nothing is to be stored. `refused`: why
   * the store would not have what was decided last (the key was looked for since, and is not there), so
   * that an operation that relies on the rules of the database instead of reading can read then, and say which
   * of them it ran into.
   */
  begin(input: Input, run: KeyedRun, refused: Refusal | null): Promise<Begun<State>> | Begun<State>;
  /** The state from the tables alone, for a run that goes on where another one stopped. */
  load(
    subjectId: string,
    params: Record<string, unknown>,
    recoveryPoint: string,
    run: KeyedRun,
  ): Promise<State>;
  /** The answer while another run advances what this run would have to. */
  busy(state: State): Pause;
}

export interface Begun<State> {
  readonly subjectId: string;
  readonly params: Record<string, unknown>;
  readonly decision: Decision<State>;
}
