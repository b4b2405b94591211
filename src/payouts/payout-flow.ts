import { type Clock } from '../core/clock.js';
import { type Change, type Store } from '../core/change.js';
import { type Ids } from '../core/ids.js';
import { type Encryption } from '../core/encryption.js';
import { decideAgain, REFUSED } from '../core/decide-again.js';
import {
  type Decision,
  type KeyedRun,
  makeCall,
  pause,
  type Pause,
  reply,
} from '../idempotency/operation.js';
import { type Run } from '../idempotency/operation-run.js';
import { type Answered, type Call, type OperationHistory } from '../request-storage/attempt.js';
import { advance, evidenceOnly } from '../request-storage/advance.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type OperationOwner, type Settled, type Subject } from '../request-storage/operation-resolver.js';
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

/**
 * Runs the one operation of a payout, for a request, the completer and the resolver alike: one call to the PSP that
 * the route is bound to, with nothing locked, then the verdict: ended, another call, another PSP by proof, or a pause.
 */
export class PayoutFlow implements OperationOwner<PayoutState> {
  constructor(private readonly deps: PayoutFlowDeps) {}

  /** null where there is none. The payout and what was asked of PSPs for it, as of one moment; nothing is decrypted. */
  async find(merchantId: string, id: string): Promise<StoredPayout | null> {
    return decideAgain<StoredPayout | null>(this.deps, async () => {
      const payout = await this.findPayout(merchantId, id);
      if (!payout) return null;
      const histories = await this.deps.storage.storiesUnder(merchantId, entityKey.ofPayout(id));
      const after = await this.findPayout(merchantId, id);
      // Whatever decides the operation raises the payout's version.
      if (after?.version !== payout.version) return REFUSED;
      const history = histories.get(entityKey.send(id));
      if (!history) throw new RangeError(`a payout without a route: ${id}`);
      return { payout, history, call: null };
    });
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

  historiesOf({ history }: PayoutState): ReadonlyMap<string, OperationHistory> {
    return new Map([[history.entityKey, history]]);
  }

  decide(state: PayoutState, history: OperationHistory, run: Run, answered?: Answered): Settled<PayoutState> {
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
    const stepResult = advance(history, facts, run, answered);
    return { ...settle(state, stepResult, () => ids.uuid(), now), stepResult };
  }

  withCall(state: PayoutState, call: Call): PayoutState {
    return { ...state, call };
  }

  /** Makes the call that the state has written down. */
  call(state: PayoutState, run: Pick<Run, 'lease'>): Promise<Answered> {
    const call = state.call!;
    return this.deps.storage.perform(call, instructionFor(state, call), run.lease);
  }

  /** From what is known, and an answer if there is one, to what the flow does. */
  next(from: PayoutState, run: KeyedRun, answered?: Answered): Decision<PayoutState> {
    const hasEnded = from.payout.status !== 'processing';
    if (hasEnded && !answered) return reply(201, bodyOf(from));
    const { state, stepResult, changes } = this.decide(from, from.history, run, answered);
    if (stepResult.call) return makeCall(state, changes);
    switch (stepResult.step.do) {
      case 'wait':
        return this.paused(state, stepResult.step.until, changes);
      case 'stuck':
        return this.paused(state, null, changes);
      default:
        return reply(201, bodyOf(state), changes);
    }
  }

  /** What the flow does after it has begun. */
  get steps() {
    return {
      next: (state: PayoutState, run: KeyedRun) => this.next(state, run),
      call: (state: PayoutState, run: KeyedRun) => this.call(state, run),
      settle: (state: PayoutState, answered: Answered, run: KeyedRun) => this.next(state, run, answered),
      evidence: ({ history }: PayoutState, answered: Answered) => evidenceOnly(history, answered),
      busy: (state: PayoutState) => this.paused(state, this.deps.clock.now()),
    };
  }

  paused(state: PayoutState, until: Date | null, changes: readonly Change[] = []): Pause {
    return pause('accepted', 202, bodyOf(state), until, changes);
  }
}

function bodyOf({ payout, history }: PayoutState): string {
  return JSON.stringify(viewOf(payout, history));
}
