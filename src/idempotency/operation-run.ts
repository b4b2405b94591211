import { type Change, gatedByFirst, type Store } from '../core/change.js';
import { type Clock } from '../core/clock.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import { type Ids } from '../core/ids.js';
import { Lease } from '../core/lease.js';
import { type LockHolder } from '../core/lock-holder.js';
import { Problem } from '../core/problem.js';
import { StoreUnavailable } from '../database/store-unavailable.js';

/** The changes to write, and then the call in the state, or another decision. */
export interface Advance<State> {
  readonly go: 'call' | 'decide';
  readonly state: State;
  readonly changes: readonly Change[];
}

/** A decision: the operation continues, or rests. `Rest` says how, with the changes for it. */
export type Decision<State, Rest> = Advance<State> | Rest;

interface Resting {
  readonly go: 'reply' | 'pause' | 'rest';
  readonly changes: readonly Change[];
}

/** One run of an operation, which may decide while it holds its lock. */
export interface Run {
  /** The token of its lock. Another one is drawn if the session with the database has gone that it was drawn in. */
  lockToken: string;
  /** The token that its rows have, which guards the next commit; that commit gives them `lockToken`. */
  heldToken: string;
  readonly leaseMs: number;
  /** The id of the request or of the worker's pass; written on every attempt. */
  readonly traceId: string;
  /** A client waits for the answer. */
  readonly clientWaiting: boolean;
  /** The time until which the client waits. */
  readonly deadline: Date;
  /** An operator wants at least one call to the PSP after this attempt. */
  readonly operatorAskedAfter?: number;
  /** That call is a lookup, and nothing else is sent. */
  readonly operatorLooksUp?: boolean;
  /** The present lock; renewed with every commit. */
  lease: Lease;
}

export interface RunTools {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Absent: locks end by time alone. */
  readonly holder?: LockHolder;
  /** How long a lock lasts; it outlives the slowest PSP call by a margin. */
  readonly leaseMs: number;
}

/** A run for a client that waits this long, or without a client. */
export function newRun(tools: RunTools, traceId: string, clientWaitsMs: number | null): Run {
  const { clock, ids, holder, leaseMs } = tools;
  const lockToken = holder?.newToken() ?? ids.uuid();
  return {
    lockToken,
    heldToken: lockToken,
    leaseMs,
    traceId,
    clientWaiting: clientWaitsMs !== null,
    deadline: new Date(clock.now().getTime() + (clientWaitsMs ?? 0)),
    lease: newLease(tools, lockToken),
  };
}

/** A lease that begins now: made right before the commit that takes or renews the lock. */
export function newLease({ clock, holder, leaseMs }: RunTools, lockToken: string): Lease {
  return new Lease(clock, leaseMs, () => holder?.holds(lockToken) ?? true);
}

/** Notes that a commit took or renewed the lock of a run; `lease` was made right before it. */
export function nowHeld(run: Run, lease: Lease): void {
  run.lease = lease;
  run.heldToken = run.lockToken;
}

/** The steps of an operation. Decisions are pure and may be repeated with newer data. */
export interface Steps<State, Answered, Rest, R extends Run = Run> {
  /** Decides from the tables alone. */
  next(state: State, run: R): Decision<State, Rest>;
  /** Makes the call that the state has committed, with no transaction open and no row locked. */
  call(state: State, run: R): Promise<Answered>;
  /** Decides with the result of the call. */
  settle(state: State, answered: Answered, run: R): Decision<State, Rest>;
  /** The changes of a run that may not decide any more; the first of them is a gate. */
  evidence(state: State, answered: Answered): readonly Change[];
}

/** `unheld`: another run has the lock now. */
export type WriteResult = 'written' | 'refused' | 'unheld';

/** The most steps of a run; more means an endless loop. */
const MAX_STEPS = 64;
/** How often the store is tried again before the caller gets an error. */
const MAX_OUTAGES = 6;

/** How a run holds its operation: by a client's key, or by a lease of its route. */
export interface RunLock<State, Rest> {
  /** Commits a decision, and renews the lock with it. */
  write(decision: Decision<State, Rest>): Promise<WriteResult>;
  /** The state as the tables have it now. */
  read(): Promise<State>;
  /** Another run advances the operation. */
  stepBack(state: State, why: 'refused' | 'unheld'): Promise<Rest>;
}

/**
 * The one way to advance an operation, for a request, its retry, the completer, the resolver and a compensation
 * alike: decide, commit, call with no transaction open, decide about the answer, commit.
 */
export class OperationRun<State, Answered, Rest extends Resting, R extends Run = Run> {
  constructor(
    private readonly tools: RunTools,
    private readonly steps: Steps<State, Answered, Rest, R>,
    private readonly lock: RunLock<State, Rest>,
    private readonly run: R,
  ) {}

  /** From the tables to the point where the operation rests. */
  async advance(state: State): Promise<Rest> {
    return this.toRest(await this.decide(state, (fresh) => this.steps.next(fresh, this.run)));
  }

  /** From a committed decision to one that rests. */
  async toRest(first: Decision<State, Rest>): Promise<Rest> {
    let decision = first;
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      if (!isAdvance(decision)) return decision;
      const { go, state } = decision;
      if (go === 'decide') {
        decision = await this.decide(state, (fresh) => this.steps.next(fresh, this.run));
      } else {
        const answered = await this.steps.call(state, this.run);
        const settle = (fresh: State) => this.steps.settle(fresh, answered, this.run);
        decision = await this.decide(state, settle, answered);
      }
    }
    throw new RangeError(`an operation did not come to rest in ${MAX_STEPS} steps`);
  }

  /** Decides and writes; if a guard refuses because data has changed, reads and decides again. */
  private async decide(
    from: State,
    decideFrom: (state: State) => Decision<State, Rest>,
    answered?: Answered,
  ): Promise<Decision<State, Rest>> {
    let state = from;
    let isStale = false;
    const stepBack = async (why: 'refused' | 'unheld') => {
      if (answered !== undefined) {
        await leaveEvidence(this.tools, async () => this.steps.evidence(await this.lock.read(), answered));
      }
      return this.lock.stepBack(state, why);
    };
    return decideAgain<Decision<State, Rest>>(
      this.tools,
      async () => {
        if (isStale) state = await throughOutages(this.tools, () => this.lock.read());
        isStale = true;
        this.keepLock();
        const decision = decideFrom(state);
        const written = await throughOutages(this.tools, () => this.lock.write(decision));
        if (written === 'written') return decision;
        return written === 'refused' ? REFUSED : stepBack('unheld');
      },
      () => stepBack('refused'),
    );
  }

  /** The session that took the lock with the present token may be gone: the next commit takes it with a new one. */
  private keepLock(): void {
    const { holder } = this.tools;
    if (holder && !holder.holds(this.run.lockToken)) this.run.lockToken = holder.newToken();
  }
}

/**
 * Waits for an unreachable store, with a bound. If the first try was written after all, its guards refuse the
 * second.
 */
export async function throughOutages<T>(
  { clock, ids }: Pick<RunTools, 'clock' | 'ids'>,
  work: () => T | Promise<T>,
): Promise<T> {
  for (let outages = 0; ; outages++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (outages === MAX_OUTAGES) throw unreachable(error);
      await clock.sleep(25 * 2 ** outages * (0.5 + ids.random() / 2));
    }
  }
}

/** Stores every result of a call, for the run that decides now. */
export async function leaveEvidence(
  tools: RunTools,
  evidence: () => Promise<readonly Change[]>,
): Promise<void> {
  await decideAgain<void>(
    tools,
    async () => {
      const changes = await evidence();
      if (changes.length === 0) return;
      return (await tools.store.commit(gatedByFirst(changes))).done ? undefined : REFUSED;
    },
    () => {},
  );
}

function isAdvance<State>(decision: Advance<State> | Resting): decision is Advance<State> {
  return decision.go === 'call' || decision.go === 'decide';
}

function unreachable(cause: StoreUnavailable): Problem {
  const detail = 'The store cannot be reached. Try again with the same Idempotency-Key.';
  return new Problem('overloaded', detail, { retryAfterS: 2, cause });
}
