import {
  type Answered,
  type DrivenBy,
  entityKey,
  isOfPayment,
  type OperationOwner,
  OperationResolver,
  type OperationResolverDeps,
  type OperationStory,
  type OrphanEffect,
  paymentIdOf,
  type Subject,
} from '../request-storage/index.js';
import { leaveToPerson, openCompensation } from './orphan.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { firstWanted, type PaymentState, withStory } from './payment-state.js';

/** A payment's operations, driven when nobody asks; and what PSPs did after all, given back. */
export class PaymentResolver extends OperationResolver<PaymentState> {
  constructor(deps: PaymentFlowDeps & OperationResolverDeps) {
    super(ownerOf(new PaymentFlow(deps)), deps);
  }

  /** Gives back what a PSP did after it was ruled out. False when somebody else does. */
  async compensate(orphan: OrphanEffect, traceId: string): Promise<boolean> {
    const { store, clock, leaseMs } = this.deps;
    // Money that went out is not called back by itself.
    if (!isOfPayment(orphan.entityKey)) return (await store.commit(leaveToPerson(orphan))).done;
    const run = this.newRun(traceId);
    const paymentId = paymentIdOf(orphan.entityKey);
    const { merchantId, route } = orphan;
    const of = { merchantId, paymentId, payoutId: null, entityKey: entityKey.orphan(paymentId, route) };
    const state = await this.owner.read(of);
    const driver = { token: run.lockToken, leaseMs, traceId };
    const driven = openCompensation(state, orphan, driver, clock.now());
    if (!driven) return (await store.commit(leaveToPerson(orphan))).done;
    const lease = this.newLease();
    if (!(await this.write('compensating', driven.changes))) return false;
    const opened = { ...withStory(state, driven.story), call: driven.call };
    const answered = await this.owner.perform(opened, { lease });
    return this.follow(of, opened, run, answered);
  }
}

function ownerOf(flow: PaymentFlow): OperationOwner<PaymentState> {
  return {
    async read({ merchantId, paymentId }: Subject) {
      if (paymentId === null) throw new TypeError('no payment is named');
      const state = await flow.read(merchantId, paymentId, firstWanted);
      if (!state) throw new RangeError(`an operation of a payment that is not there: ${paymentId}`);
      return state;
    },
    storyOf: ({ stories }, name) => stories.get(name)!,
    storiesOf: ({ stories }) => stories,
    decide(state: PaymentState, story: OperationStory, run: DrivenBy, answered?: Answered) {
      const driven = flow.drive(state, story, run, answered);
      return { ...flow.settle(state, driven), driven };
    },
    withCall: (state, call) => ({ ...state, call }),
    perform: (state, run) => flow.perform(state, run),
  };
}
