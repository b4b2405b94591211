import { type Change, type Clock, type Ids, Problem, type Seal, type Store } from '../kernel/index.js';
import {
  type Decision,
  moveTo,
  outside,
  pause,
  type Pause,
  type Phase,
  reply,
  type Run,
} from '../idempotency/index.js';
import {
  type Answered,
  type Call,
  drive,
  type DrivenBy,
  entityKey,
  evidenceOnly,
  type OperationOwner,
  type OperationStory,
  type RequestStorage,
  type Settled,
  type Subject,
} from '../request-storage/index.js';
import { type Payout, payouts } from './payout.entity.js';
import { instructionFor, openTokens, type PayoutState, settle } from './payout-state.js';
import { viewOf } from './payout.view.js';

export interface PayoutFlowDeps {
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A payout that changes under every one of so many reads is driven by somebody else. */
const MOST_READS = 10;

/**
 * Runs the one operation of a payout, for a request, the completer and the resolver alike:
 *
 *   accepted  (outside)  one call to the PSP that the route is bound to, with nothing locked, then the
 *                        verdict: ended, another call, another PSP by proof, or a pause
 */
export class PayoutFlow implements OperationOwner<PayoutState> {
  readonly phases: Readonly<Record<string, Phase<PayoutState>>> = {
    accepted: outside(
      (state: PayoutState, run) => this.perform(state, run),
      (state, answered, run) => this.next(state, run, answered),
      ({ story }, answered) => evidenceOnly(story, answered),
    ),
  };

  constructor(private readonly deps: PayoutFlowDeps) {}

  /** null where there is none. The payout and what was asked of PSPs for it, as of one moment. */
  async find(merchantId: string, id: string): Promise<PayoutState | null> {
    const { storage, seal } = this.deps;
    let payout = await this.findPayout(merchantId, id);
    for (let tries = 0; payout; tries++) {
      const stories = await storage.storiesUnder(merchantId, entityKey.ofPayout(id));
      const after = await this.findPayout(merchantId, id);
      // Whatever decides the operation raises the payout's version.
      if (after?.version === payout.version) {
        const story = stories.get(entityKey.send(id));
        if (!story) throw new RangeError(`a payout without a route: ${id}`);
        return { payout, story, tokens: openTokens(seal, payout), call: null };
      }
      if (tries === MOST_READS)
        throw new Problem('overloaded', 'The payout changes too fast.', { retryAfterS: 1 });
      payout = after;
    }
    return null;
  }

  private async findPayout(merchantId: string, id: string): Promise<Payout | null> {
    const [payout] = await this.deps.store.find(payouts, { merchantId, id }, 1);
    return payout ?? null;
  }

  async read({ merchantId, payoutId }: Subject): Promise<PayoutState> {
    const state = payoutId === null ? null : await this.find(merchantId, payoutId);
    if (!state) throw new RangeError(`no such payout: ${payoutId}`);
    return state;
  }

  storyOf({ story }: PayoutState): OperationStory {
    return story;
  }

  storiesOf({ story }: PayoutState): ReadonlyMap<string, OperationStory> {
    return new Map([[story.entityKey, story]]);
  }

  decide(
    state: PayoutState,
    story: OperationStory,
    run: DrivenBy,
    answered?: Answered,
  ): Settled<PayoutState> {
    const { storage, clock, ids } = this.deps;
    const now = clock.now();
    const facts = storage.facts({
      candidates: state.payout.candidates,
      deadline: run.asked ? run.deadline : storage.deadlineOf(story.routes[0]!.request),
      asked: run.asked,
      wish: 'finish',
      fence: false,
      now,
    });
    const driver = { token: run.lockToken, leaseMs: run.leaseMs, traceId: run.traceId };
    const driven = drive(story, facts, driver, answered);
    return { ...settle(state, driven, () => ids.uuid(), now), driven };
  }

  withCall(state: PayoutState, call: Call): PayoutState {
    return { ...state, call };
  }

  /** Makes the call that the state has written down. */
  perform(state: PayoutState, run: Pick<Run, 'lease'>): Promise<Answered> {
    const call = state.call!;
    return this.deps.storage.perform(call, instructionFor(state, call), run.lease);
  }

  /** From what is known, and an answer if there is one, to what the flow does. */
  next(from: PayoutState, run: Run, answered?: Answered): Decision<PayoutState> {
    const hasEnded = from.payout.status !== 'processing';
    if (hasEnded && !answered) return reply(201, bodyOf(from));
    const { state, driven, changes } = this.decide(from, from.story, run, answered);
    if (driven.call) return moveTo('accepted', state, changes);
    switch (driven.step.do) {
      case 'wait':
        return this.paused(state, driven.step.until, changes);
      case 'stuck':
        return this.paused(state, null, changes);
      default:
        return reply(201, bodyOf(state), changes);
    }
  }

  paused(state: PayoutState, until: Date | null, changes: readonly Change[] = []): Pause {
    return pause('accepted', 202, bodyOf(state), until, changes);
  }
}

function bodyOf({ payout, story }: PayoutState): string {
  return JSON.stringify(viewOf(payout, story));
}
