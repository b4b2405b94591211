import { type Clock, type Ids, Lease, type Store } from '../kernel/index.js';
import { type Answered, type PspRequest } from '../request-storage/index.js';
import { evidenceOf, PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { firstWanted, type PaymentState } from './payment-state.js';

/** Calls made for one route in one pass. The schedule decides when the next pass is. */
const MOST_CALLS = 8;
const MOST_REFUSALS = 4;

/**
 * Drives a payment's open route on when nobody asks: the same decisions as in a request, under a
 * lease of its own instead of a client's key. The key, if it is still unanswered, is answered by
 * the completer or by the client's next try.
 */
export class PaymentResolver {
  private readonly flow: PaymentFlow;
  private readonly store: Store;
  private readonly clock: Clock;

  constructor(private readonly deps: PaymentFlowDeps & { readonly ids: Ids; readonly leaseMs: number }) {
    this.flow = new PaymentFlow(deps);
    this.store = deps.store;
    this.clock = deps.clock;
  }

  /** False when somebody else drives the route, or it is decided already. */
  async driveOn({ merchantId, paymentId, entityKey }: PspRequest, traceId: string): Promise<boolean> {
    if (paymentId === null) throw new TypeError(`${entityKey} is no operation of a payment`);
    const run = {
      lockToken: this.deps.ids.uuid(),
      leaseMs: this.deps.leaseMs,
      traceId,
      asked: false,
      deadline: this.clock.now(),
      lease: new Lease(this.clock, 0),
    };
    let state = await this.read(merchantId, paymentId);
    let answered: Answered | undefined;
    let refusals = 0;
    for (let calls = 0; calls < MOST_CALLS && refusals < MOST_REFUSALS;) {
      const story = state.stories.get(entityKey)!;
      if (story.routes.at(-1)!.request.verdict !== 'open' && !answered) return false;
      const driven = this.flow.drive(state, story, run, answered);
      const settled = this.flow.settle(state, driven);
      run.lease = new Lease(this.clock, run.leaseMs);
      const { done } = settled.changes.length > 0 ? await this.store.commit(settled.changes) : { done: true };
      if (!done) {
        refusals += 1;
        state = await this.read(merchantId, paymentId);
        continue;
      }
      if (!driven.call) return true;
      answered = await this.flow.perform(settled.state, run);
      state = settled.state;
      calls += 1;
    }
    if (answered) await this.leaveEvidence(merchantId, paymentId, answered);
    return false;
  }

  private async read(merchantId: string, paymentId: string): Promise<PaymentState> {
    const state = await this.flow.read(merchantId, paymentId, firstWanted);
    if (!state) throw new RangeError(`an open route of a payment that is not there: ${paymentId}`);
    return state;
  }

  /** Whatever came of the call is written down, even where somebody else decides about it. */
  private async leaveEvidence(merchantId: string, paymentId: string, answered: Answered): Promise<void> {
    for (let tries = 0; tries < MOST_REFUSALS; tries++) {
      const changes = evidenceOf(await this.read(merchantId, paymentId), answered);
      if (changes.length === 0 || (await this.store.commit(changes)).done) return;
    }
  }
}
