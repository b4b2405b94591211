import {
  type Change,
  checkpoint,
  type Clock,
  type Ids,
  Lease,
  Problem,
  type Store,
} from '../kernel/index.js';
import { type Fact } from '../psp/index.js';
import { type Run } from '../idempotency/index.js';
import { type Answered, type Call, type OperationStory } from './attempt.js';
import { type Driven, evidenceOnly } from './drive.js';
import { lookAgain, lookedAgain } from './late-look.js';
import { note, routeSpokenOf, type Taken } from './notice.js';
import { type PspRequest } from './psp-request.entity.js';
import { type RequestStorage } from './request-storage.js';

/** As much of a run as driving a route takes; whoever drives without a key has no more. */
export type DrivenBy = Pick<Run, 'lockToken' | 'leaseMs' | 'traceId' | 'asked' | 'deadline'>;

/** A decision about an operation, with all that it wants written. */
export interface Settled<State> {
  readonly state: State;
  readonly driven: Driven;
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
  storyOf(state: State, entityKey: string): OperationStory;
  /** Every operation of the subject, by entity key. */
  storiesOf(state: State): ReadonlyMap<string, OperationStory>;
  /** Takes in an answer, if there is one, and decides. Pure. */
  decide(state: State, story: OperationStory, run: DrivenBy, answered?: Answered): Settled<State>;
  /** The state with a call to make. */
  withCall(state: State, call: Call): State;
  /** Makes the call that the state has written down. */
  perform(state: State, run: Pick<Run, 'lease'>): Promise<Answered>;
}

export interface OperationResolverDeps {
  readonly store: Store;
  readonly storage: Pick<RequestStorage, 'capabilities'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly leaseMs: number;
}

/** Calls made for one route in one pass. The schedule decides when the next pass is. */
const MOST_CALLS = 8;
const MOST_REFUSALS = 4;

/**
 * Drives an open route on when nobody asks: the same decisions as in a request, under a lease of its
 * own instead of a client's key. The key, if it is still unanswered, is answered by the completer or
 * by the client's next try.
 */
export class OperationResolver<State> {
  constructor(
    protected readonly owner: OperationOwner<State>,
    protected readonly deps: OperationResolverDeps,
  ) {}

  /** False when somebody else drives the route, or it is decided already. */
  async driveOn(due: Operated, traceId: string): Promise<boolean> {
    return this.follow(due, await this.owner.read(due), this.newRun(traceId));
  }

  /** From what is known, and an answer if there is one, as far as the route goes now. */
  protected async follow(due: Operated, from: State, run: DrivenBy, first?: Answered): Promise<boolean> {
    const { owner } = this;
    let state = from;
    let answered = first;
    let refusals = 0;
    for (let calls = 0; calls < MOST_CALLS && refusals < MOST_REFUSALS;) {
      const story = owner.storyOf(state, due.entityKey);
      if (story.routes.at(-1)!.request.verdict !== 'open' && !answered) return false;
      const settled = owner.decide(state, story, run, answered);
      const lease = this.newLease();
      const isWritten = settled.changes.length === 0 || (await this.write('driven', settled.changes));
      if (!isWritten) {
        refusals += 1;
        state = await owner.read(due);
        continue;
      }
      if (!settled.driven.call) return true;
      answered = await owner.perform(settled.state, { lease });
      state = settled.state;
      calls += 1;
    }
    if (answered) await this.leaveEvidence(due, answered);
    return false;
  }

  /**
   * Looks once more at a route that was ruled out because nothing was found there; what is found is
   * recorded as an orphan effect. False when somebody else looks.
   */
  async lookAgain(due: PspRequest, traceId: string): Promise<boolean> {
    const { owner } = this;
    const { store, clock, leaseMs } = this.deps;
    const state = await owner.read(due);
    const story = owner.storyOf(state, due.entityKey);
    const route = story.routes.find(({ request }) => request.route === due.route);
    if (route?.request.fence !== due.fence) return false;
    const { lockToken: token } = this.newRun(traceId);
    const { changes, call } = lookAgain(route, { token, leaseMs, traceId }, clock.now());
    const lease = this.newLease();
    if (!(await store.commit(changes)).done) return false;
    const answered = await owner.perform(owner.withCall(state, call), { lease });
    for (let tries = 0; tries < MOST_REFUSALS; tries++) {
      const known = owner.storyOf(await owner.read(due), due.entityKey);
      if (await this.write('looked', lookedAgain(known, answered, clock.now()))) return true;
    }
    return false;
  }

  /**
   * Takes in what a PSP told of its own accord about an operation of this subject: writes it down, and
   * drives the operation on with it unless somebody else does.
   */
  async take(of: Subject, psp: string, fact: Fact, traceId: string): Promise<Taken> {
    const { owner } = this;
    const { storage, clock, leaseMs } = this.deps;
    for (let tries = 0; tries < MOST_REFUSALS; tries++) {
      const state = await owner.read(of);
      const stories = owner.storiesOf(state);
      const route = routeSpokenOf(stories, psp, fact);
      if (!route) return 'unknown';
      const now = clock.now();
      const noted = note(route, stories, fact, storage.capabilities(psp), { leaseMs }, { now, traceId });
      if (noted.changes.length > 0 && !(await this.write('noticed', noted.changes))) continue;
      if (noted.taken !== 'recorded') return noted.taken;
      // Whoever drives it finds the fact, since it raised the fence of the route.
      if (route.request.leasedBy !== null) return 'recorded';
      const { entityKey } = route.request;
      return (await this.driveOn({ ...of, entityKey }, traceId)) ? 'applied' : 'recorded';
    }
    throw new Problem('overloaded', 'The operation changes too fast.', { retryAfterS: 1 });
  }

  protected newRun(traceId: string): DrivenBy {
    const { clock, ids, leaseMs } = this.deps;
    return { lockToken: ids.uuid(), leaseMs, traceId, asked: false, deadline: clock.now() };
  }

  /** As of now: taken right before the commit that writes a call down. */
  protected newLease(): Lease {
    return new Lease(this.deps.clock, this.deps.leaseMs);
  }

  /** False when the commit was refused. */
  protected async write(place: string, changes: readonly Change[]): Promise<boolean> {
    await checkpoint(`commit:before:${place}`);
    const { done } = await this.deps.store.commit(changes);
    if (done) await checkpoint(`commit:after:${place}`);
    return done;
  }

  /** Whatever came of the call is written down, even where somebody else decides about it. */
  private async leaveEvidence(due: Operated, answered: Answered): Promise<void> {
    for (let tries = 0; tries < MOST_REFUSALS; tries++) {
      const story = this.owner.storyOf(await this.owner.read(due), due.entityKey);
      const changes = evidenceOnly(story, answered);
      if (changes.length === 0 || (await this.deps.store.commit(changes)).done) return;
    }
  }
}
