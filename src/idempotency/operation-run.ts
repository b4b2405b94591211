import { type Change, gatedByFirst, type Store } from '../core/change.js';
import { type Clock } from '../core/clock.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import { type Ids } from '../core/ids.js';
import { Lease } from '../core/lease.js';
import { type LockHolder } from '../core/lock-holder.js';
import { Problem } from '../core/problem.js';
import { StoreUnavailable } from '../database/store-unavailable.js';

/** What is to be written, and then the call that the state holds, or another decision. */
export interface Advance<State> {
  readonly go: 'call' | 'decide';
  readonly state: State;
  readonly changes: readonly Change[];
}

/** A decision: the operation goes on, or rests. `Rest` says how, with the changes that lead there. */
export type Decision<State, Rest> = Advance<State> | Rest;

interface Resting {
  readonly go: 'reply' | 'pause' | 'rest';
  readonly changes: readonly Change[];
}

/** One run of an operation, which may decide as long as it holds its lock. */
export interface Run {
  /** The fencing token that every commit of this run is guarded by. */
  readonly lockToken: string;
  readonly leaseMs: number;
  /** Of the request or of the worker's pass; written on every attempt. */
  readonly traceId: string;
  /** A client waits for the answer. */
  readonly clientWaiting: boolean;
  /** Until when. */
  readonly deadline: Date;
  /** An operator has the PSP asked at least once after this attempt. */
  readonly operatorAskedAfter?: number;
  /** The lock as it is held now; renewed with every commit. */
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

/** A run for a client that waits so long, or for none. */
export function newRun(tools: RunTools, traceId: string, clientWaitsMs: number | null): Run {
  const { clock, ids, holder, leaseMs } = tools;
  const lockToken = holder?.newToken() ?? ids.uuid();
  return {
    lockToken,
    leaseMs,
    traceId,
    clientWaiting: clientWaitsMs !== null,
    deadline: new Date(clock.now().getTime() + (clientWaitsMs ?? 0)),
    lease: newLease(tools, lockToken),
  };
}

/** As of now: taken right before the commit that takes the lock, or renews it. */
export function newLease({ clock, holder, leaseMs }: RunTools, lockToken: string): Lease {
  return new Lease(clock, leaseMs, () => holder?.holds(lockToken) ?? true);
}

/** What is done for an operation. Decisions are pure and may be made again from what is read then. */
export interface Steps<State, Answered, Rest, R extends Run = Run> {
  /** Decides from the tables alone. */
  next(state: State, run: R): Decision<State, Rest>;
  /** Makes the call that the state has written down, with nothing open and nothing locked. */
  call(state: State, run: R): Promise<Answered>;
  /** Takes in what the call came back with, and decides. */
  settle(state: State, answered: Answered, run: R): Decision<State, Rest>;
  /** What to write down when this run may not decide any more; the first of these changes is a gate. */
  evidence(state: State, answered: Answered): readonly Change[];
}

/** `unheld`: another run holds the lock by now. */
export type Written = 'written' | 'refused' | 'unheld';

/** A run takes at most so many steps; more means that it turns in a circle. */
const MAX_STEPS = 64;
/** The store is tried again so often before the caller is told. */
const MAX_OUTAGES = 6;

/**
 * The one way to advance an operation, for a request, its retry, the completer, the resolver and a compensation
 * alike: decide, commit, call with nothing held, decide about the answer, commit. How a run holds what it advances
 * (a client's key, or a route) is the subclass's.
 */
export abstract class OperationRun<State, Answered, Rest extends Resting, R extends Run = Run> {
  constructor(
    protected readonly tools: RunTools,
    protected readonly steps: Steps<State, Answered, Rest, R>,
    readonly run: R,
  ) {}

  protected abstract write(decision: Decision<State, Rest>): Promise<Written>;
  /** The state as the tables have it now. */
  protected abstract read(): Promise<State>;
  /** Another run advances the operation. */
  protected abstract stepBack(state: State, why: 'refused' | 'unheld'): Promise<Rest>;

  /** From what is known to where the operation rests. */
  async advance(state: State): Promise<Rest> {
    return this.toRest(await this.decide(state, (fresh) => this.steps.next(fresh, this.run)));
  }

  /** From a decision that is written to one that rests. */
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

  /** Decides and writes; where that is refused because the world has moved, reads it and decides again. */
  private async decide(
    from: State,
    decideFrom: (state: State) => Decision<State, Rest>,
    answered?: Answered,
  ): Promise<Decision<State, Rest>> {
    let state = from;
    let isStale = false;
    const stepBack = async (why: 'refused' | 'unheld') => {
      if (answered !== undefined) {
        await leaveEvidence(this.tools, async () => this.steps.evidence(await this.read(), answered));
      }
      return this.stepBack(state, why);
    };
    return decideAgain<Decision<State, Rest>>(
      this.tools,
      async () => {
        if (isStale) state = await this.throughOutages(() => this.read());
        isStale = true;
        const decision = decideFrom(state);
        const written = await this.throughOutages(() => this.write(decision));
        if (written === 'written') return decision;
        return written === 'refused' ? REFUSED : stepBack('unheld');
      },
      () => stepBack('refused'),
    );
  }

  protected throughOutages<T>(work: () => Promise<T>): Promise<T> {
    return throughOutages(this.tools, work);
  }
}

/** Waits for a store that cannot be reached, with a bound. What was written all the same is refused by its guards. */
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

/** Whatever a call came back with is written down, for the run that decides now. */
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
