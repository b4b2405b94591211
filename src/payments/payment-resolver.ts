import { type Change, checkpoint, type Clock, type Ids, Lease, type Store } from '../kernel/index.js';
import {
  type Answered,
  type Driven,
  entityKey,
  lookAgain,
  lookedAgain,
  type OrphanEffect,
  isOfPayment,
  paymentIdOf,
  type PspRequest,
} from '../request-storage/index.js';
import { leaveToPerson, openCompensation } from './orphan.js';
import { type DrivenBy, evidenceOf, PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { firstWanted, instructionFor, type PaymentState, withStory } from './payment-state.js';

/** Calls made for one route in one pass. The schedule decides when the next pass is. */
const MOST_CALLS = 8;
const MOST_REFUSALS = 4;

type ResolverRun = DrivenBy & { lease: Lease };

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
  async driveOn(due: PspRequest, traceId: string): Promise<boolean> {
    const state = await this.stateOf(due);
    return this.follow(state, due.entityKey, this.newRun(traceId));
  }

  /**
   * Looks once more at a route that was ruled out because nothing was found there. What is found is
   * recorded as an orphan effect. False when somebody else looks.
   */
  async lookAgain(due: PspRequest, traceId: string): Promise<boolean> {
    const run = this.newRun(traceId);
    const state = await this.stateOf(due);
    const route = state.stories.get(due.entityKey)?.routes.find(({ request }) => request.route === due.route);
    if (route?.request.fence !== due.fence) return false;
    const driver = { token: run.lockToken, leaseMs: run.leaseMs, traceId };
    const { changes, call } = lookAgain(route, driver, this.clock.now());
    run.lease = new Lease(this.clock, run.leaseMs);
    if (!(await this.store.commit(changes)).done) return false;
    const answered = await this.deps.storage.perform(call, instructionFor(state, call), run.lease);
    for (let tries = 0; tries < MOST_REFUSALS; tries++) {
      const story = (await this.stateOf(due)).stories.get(due.entityKey)!;
      if (await this.write('looked', lookedAgain(story, answered, this.clock.now()))) return true;
    }
    return false;
  }

  /** Gives back what a PSP did after it was ruled out. False when somebody else does. */
  async compensate(orphan: OrphanEffect, traceId: string): Promise<boolean> {
    // Money that went out is not called back by itself.
    if (!isOfPayment(orphan.entityKey)) return (await this.store.commit(leaveToPerson(orphan))).done;
    const run = this.newRun(traceId);
    const paymentId = paymentIdOf(orphan.entityKey);
    const state = await this.stateOf({ ...orphan, paymentId });
    const driver = { token: run.lockToken, leaseMs: run.leaseMs, traceId };
    const driven = openCompensation(state, orphan, driver, this.clock.now());
    if (!driven) return (await this.store.commit(leaveToPerson(orphan))).done;
    run.lease = new Lease(this.clock, run.leaseMs);
    if (!(await this.write('compensating', driven.changes))) return false;
    const opened = { ...withStory(state, driven.story), call: driven.call };
    const answered = await this.flow.perform(opened, run);
    return this.follow(opened, entityKey.orphan(paymentId, orphan.route), run, answered);
  }

  /** From what is known (and an answer, if there is one) as far as the route goes now. */
  private async follow(
    from: PaymentState,
    name: string,
    run: ResolverRun,
    first?: Answered,
  ): Promise<boolean> {
    const { merchantId, id } = from.payment;
    let state = from;
    let answered = first;
    let refusals = 0;
    for (let calls = 0; calls < MOST_CALLS && refusals < MOST_REFUSALS;) {
      const story = state.stories.get(name)!;
      if (story.routes.at(-1)!.request.verdict !== 'open' && !answered) return false;
      const driven: Driven = this.flow.drive(state, story, run, answered);
      const settled = this.flow.settle(state, driven);
      run.lease = new Lease(this.clock, run.leaseMs);
      const isWritten = settled.changes.length === 0 || (await this.write('driven', settled.changes));
      if (!isWritten) {
        refusals += 1;
        state = await this.read(merchantId, id);
        continue;
      }
      if (!driven.call) return true;
      answered = await this.flow.perform(settled.state, run);
      state = settled.state;
      calls += 1;
    }
    if (answered) await this.leaveEvidence(merchantId, id, answered);
    return false;
  }

  /** False when the commit was refused. */
  private async write(place: string, changes: readonly Change[]): Promise<boolean> {
    await checkpoint(`commit:before:${place}`);
    const { done } = await this.store.commit(changes);
    if (done) await checkpoint(`commit:after:${place}`);
    return done;
  }

  private newRun(traceId: string): ResolverRun {
    return {
      lockToken: this.deps.ids.uuid(),
      leaseMs: this.deps.leaseMs,
      traceId,
      asked: false,
      deadline: this.clock.now(),
      lease: new Lease(this.clock, 0),
    };
  }

  private stateOf({
    merchantId,
    paymentId,
    entityKey: name,
  }: Pick<PspRequest, 'merchantId' | 'paymentId' | 'entityKey'>) {
    if (paymentId === null) throw new TypeError(`${name} is no operation of a payment`);
    return this.read(merchantId, paymentId);
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
