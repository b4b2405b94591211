import { type Clock } from '../core/clock.js';
import { type Change, type Store } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { type Encryption } from '../core/encryption.js';
import {
  type Decision,
  moveTo,
  callThenDecide,
  pause,
  type Pause,
  type Phase,
  reply,
  type Run,
} from '../idempotency/phases.js';
import { type Answered, type Call, type OperationHistory } from '../request-storage/attempt.js';
import { advance, evidenceOnly } from '../request-storage/advance.js';
import { entityKey } from '../request-storage/entity-key.js';
import {
  type AdvanceRun,
  type OperationOwner,
  type Settled,
  type Subject,
} from '../request-storage/operation-resolver.js';
import { type RequestStorage } from '../request-storage/request-storage.js';
import { type Payout } from './payout.entity.js';
import { payouts } from './payout.table.js';
import {
  instructionFor,
  decryptTokens,
  type PayoutState,
  settle,
  type StoredPayout,
} from './payout-state.js';
import { viewOf } from './payout.view.js';

export interface PayoutFlowDeps {
  readonly store: Store;
  readonly storage: RequestStorage;
  readonly seal: Encryption;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A payout that changes under every one of so many reads is driven by another run. */
const MAX_READS = 10;

/**
 * Runs the one operation of a payout, for a request, the completer and the resolver alike:
 *
 *   accepted  (outside)  one call to the PSP that the route is bound to, with nothing locked, then the
 *                        verdict: ended, another call, another PSP by proof, or a pause
 */
export class PayoutFlow implements OperationOwner<PayoutState> {
  readonly phases: Readonly<Record<string, Phase<PayoutState>>> = {
    accepted: callThenDecide(
      (state: PayoutState, run) => this.perform(state, run),
      (state, answered, run) => this.next(state, run, answered),
      ({ history }, answered) => evidenceOnly(history, answered),
    ),
  };

  constructor(private readonly deps: PayoutFlowDeps) {}

  /** null where there is none. The payout and what was asked of PSPs for it, as of one moment; nothing is decrypted. */
  async find(merchantId: string, id: string): Promise<StoredPayout | null> {
    const { storage } = this.deps;
    let payout = await this.findPayout(merchantId, id);
    for (let tries = 0; payout; tries++) {
      const histories = await storage.storiesUnder(merchantId, entityKey.ofPayout(id));
      const after = await this.findPayout(merchantId, id);
      // Whatever decides the operation raises the payout's version.
      if (after?.version === payout.version) {
        const history = histories.get(entityKey.send(id));
        if (!history) throw new RangeError(`a payout without a route: ${id}`);
        return { payout, history, call: null };
      }
      if (tries === MAX_READS)
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
    return { ...state, tokens: decryptTokens(this.deps.seal, state.payout) };
  }

  storyOf({ history }: PayoutState): OperationHistory {
    return history;
  }

  storiesOf({ history }: PayoutState): ReadonlyMap<string, OperationHistory> {
    return new Map([[history.entityKey, history]]);
  }

  decide(
    state: PayoutState,
    history: OperationHistory,
    run: AdvanceRun,
    answered?: Answered,
  ): Settled<PayoutState> {
    const { storage, clock, ids } = this.deps;
    const now = clock.now();
    const facts = storage.facts({
      candidates: state.payout.candidates,
      deadline: run.clientWaiting ? run.deadline : storage.deadlineOf(history.routes[0]!.request),
      clientWaiting: run.clientWaiting,
      operatorAskedAfter: run.operatorAskedAfter,
      intent: 'finish',
      fence: false,
      now,
    });
    const driver = { token: run.lockToken, leaseMs: run.leaseMs, traceId: run.traceId };
    const stepResult = advance(history, facts, driver, answered);
    return { ...settle(state, stepResult, () => ids.uuid(), now), stepResult };
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
    const { state, stepResult, changes } = this.decide(from, from.history, run, answered);
    if (stepResult.call) return moveTo('accepted', state, changes);
    switch (stepResult.step.do) {
      case 'wait':
        return this.paused(state, stepResult.step.until, changes);
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

function bodyOf({ payout, history }: PayoutState): string {
  return JSON.stringify(viewOf(payout, history));
}
