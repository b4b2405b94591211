import { type Clock } from '../core/clock.js';
import { type Change, type Refusal } from '../core/change.js';
import { type Lease } from '../core/lease.js';

/**
 * Atomic phases. A flow is a list of them, in time order, each under the recovery point at which
 * it may be entered again. A phase is `inside` (it only decides) or `outside` (it calls a PSP with
 * nothing open, then decides about what came back). Decisions are pure; what they want written is
 * data, and one commit writes it together with the next recovery point.
 */
export type Decision<State> = Move<State> | Reply | Pause;

export interface Move<State> {
  readonly go: 'move';
  readonly to: string;
  readonly state: State;
  readonly changes: readonly Change[];
}

export interface Reply {
  readonly go: 'reply';
  readonly status: number;
  readonly body: string;
  readonly changes: readonly Change[];
}

export interface Pause {
  readonly go: 'pause';
  /** Where the key is resumed. */
  readonly at: string;
  readonly status: number;
  readonly body: string;
  /** When there may be more to say; null when a person is needed. */
  readonly until: Date | null;
  readonly changes: readonly Change[];
}

/** The changes, then go on at `to`. */
export function moveTo<State>(to: string, state: State, changes: readonly Change[]): Move<State> {
  return { go: 'move', to, state, changes };
}

/** The changes, and the answer for ever: every later request with this key gets these bytes. */
export function reply(status: number, body: string, changes: readonly Change[] = []): Reply {
  return { go: 'reply', status, body, changes };
}

/** The changes, and an answer for now: the key stays resumable at `at`. */
export function pause(
  at: string,
  status: number,
  body: string,
  until: Date | null,
  changes: readonly Change[] = [],
): Pause {
  return { go: 'pause', at, status, body, until, changes };
}

/** One run of a flow: from a request, or from a key that was abandoned. */
export interface Run {
  readonly merchantId: string;
  readonly key: string;
  /** `api-key:<id>` or `system:completer`. */
  readonly actor: string;
  /** The fencing token that every commit of this run is guarded by. */
  readonly lockToken: string;
  readonly leaseMs: number;
  /** Of the request or of the worker's pass; written on every attempt. */
  readonly traceId: string;
  /** A client waits for the answer. */
  readonly clientWaiting: boolean;
  /** Until when. */
  readonly deadline: Date;
  readonly clock: Clock;
  /** The lock as it is held now; renewed with every commit. */
  lease: Lease;
}

export type Phase<State> = DecidePhase<State> | CallPhase<State>;

interface DecidePhase<State> {
  readonly kind: 'inside';
  decide(state: State, run: Run): Decision<State>;
}

interface CallPhase<State> {
  readonly kind: 'outside';
  call(state: State, run: Run): Promise<unknown>;
  decide(state: State, fact: unknown, run: Run): Decision<State>;
  evidence(state: State, fact: unknown): readonly Change[];
}

/** A phase that only decides. */
export function decideOnly<State>(decide: (state: State, run: Run) => Decision<State>): Phase<State> {
  return { kind: 'inside', decide };
}

/**
 * A phase that calls the outside world, with nothing locked or open, and then decides.
 * `evidence`: what to write down when this run has lost its lock in the meantime; the first of
 * these changes is a gate.
 */
export function callThenDecide<State, Fact>(
  call: (state: State, run: Run) => Promise<Fact>,
  decide: (state: State, fact: Fact, run: Run) => Decision<State>,
  evidence: (state: State, fact: Fact) => readonly Change[],
): Phase<State> {
  return {
    kind: 'outside',
    call,
    decide: (state, fact, run) => decide(state, fact as Fact, run),
    evidence: (state, fact) => evidence(state, fact as Fact),
  };
}

/** How the work of one kind of request is written. */
export interface Flow<Ask, State> {
  /** Stored with the key: `POST /v1/payments`. */
  readonly operation: string;
  /** True when `begin` reads: then the key is looked up first, so that a replay reads nothing else. */
  readonly readsFirst: boolean;
  /**
   * The first decision. May read; throws `Problem` where nothing is to be stored. `refused`: why
   * the store would not have what was decided last (the key was looked for since, and is not there), so
   * that a flow that relies on the rules of the database instead of reading can read then, and say which
   * of them it ran into.
   */
  begin(ask: Ask, run: Run, refused: Refusal | null): Promise<Begun<State>> | Begun<State>;
  /** The state from the tables alone, for a run that goes on where another one stopped. */
  load(subjectId: string, params: Record<string, unknown>, recoveryPoint: string, run: Run): Promise<State>;
  /** What a resumed run does first. */
  resume(state: State, run: Run): Decision<State>;
  /** The answer while another run drives what this run would have to drive. */
  busy(state: State, run: Run): Pause;
  readonly phases: Readonly<Record<string, Phase<State>>>;
}

export interface Begun<State> {
  readonly subjectId: string;
  readonly params: Record<string, unknown>;
  readonly decision: Decision<State>;
}
