import { type Page } from '../core/page.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type FlowAnswer, type IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type Flow } from '../idempotency/phases.js';
import { Problem } from '../core/problem.js';
import { type Caller } from '../merchants/caller.js';
import { createPayoutFlow, type CreatePayoutDeps } from './create-payout.flow.js';
import { PayoutFlow } from './payout-flow.js';
import { type PayoutReader } from './payout.reader.js';
import { type PayoutState } from './payout-state.js';
import { type PayoutView, viewOf } from './payout.view.js';
import { type NewPayout, type PayoutFilter, type Payouts } from './payouts.js';

export interface PayoutsDeps extends Omit<CreatePayoutDeps, 'sequences'> {
  readonly keyed: IdempotentRunner;
  readonly reader: PayoutReader;
}

/** The face of the room: each call is one flow under the caller's key, or one read. */
export class PayoutsService implements Payouts {
  /** What the completer takes up again. */
  readonly flows: { readonly create: Flow<NewPayout, PayoutState> };
  private readonly flow: PayoutFlow;

  constructor(private readonly deps: PayoutsDeps) {
    this.flows = { create: createPayoutFlow({ ...deps, sequences: deps.reader }) };
    this.flow = new PayoutFlow(deps);
  }

  create(
    { caller, key, waitMs, deadlineMs, requestId }: RequestContext,
    ask: NewPayout,
  ): Promise<FlowAnswer> {
    const { merchantId, apiKeyId } = caller;
    return this.deps.keyed.run(this.flows.create, {
      merchantId,
      key,
      waitMs,
      deadlineMs,
      ask,
      actor: `api-key:${apiKeyId}`,
      traceId: requestId,
    });
  }

  async get({ merchantId }: Caller, payoutId: string): Promise<PayoutView> {
    const state = await this.flow.find(merchantId, payoutId);
    if (!state) throw new Problem('not_found', 'No such payout.');
    return viewOf(state.payout, state.history);
  }

  list(
    caller: Caller,
    filter: PayoutFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PayoutView>> {
    return this.deps.reader.list(caller.merchantId, filter, limit, cursor);
  }
}
