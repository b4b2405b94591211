import { type Flow, type FlowAnswer, type KeyedFlows } from '../idempotency/index.js';
import { Problem } from '../kernel/index.js';
import { type Caller } from '../merchants/index.js';
import { createPayoutFlow, type CreatePayoutDeps } from './create-payout.flow.js';
import { PayoutFlow } from './payout-flow.js';
import { type PayoutReader } from './payout.reader.js';
import { type PayoutState } from './payout-state.js';
import { viewOf } from './payout.view.js';
import {
  type PayoutAsk,
  type PayoutAsked,
  type PayoutFilter,
  type PayoutPage,
  type Payouts,
  type PayoutView,
} from './payouts.js';

export interface PayoutsDeps extends Omit<CreatePayoutDeps, 'sequences'> {
  readonly keyed: KeyedFlows;
  readonly reader: PayoutReader;
}

/** The face of the room: each call is one flow under the caller's key, or one read. */
export class PayoutsService implements Payouts {
  /** What the completer takes up again. */
  readonly flows: { readonly create: Flow<PayoutAsk, PayoutState> };
  private readonly flow: PayoutFlow;

  constructor(private readonly deps: PayoutsDeps) {
    this.flows = { create: createPayoutFlow({ ...deps, sequences: deps.reader }) };
    this.flow = new PayoutFlow(deps);
  }

  create({ caller, key, waitMs, deadlineMs, requestId }: PayoutAsked, ask: PayoutAsk): Promise<FlowAnswer> {
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
    return viewOf(state.payout, state.story);
  }

  list(caller: Caller, filter: PayoutFilter, limit: number, cursor: string | null): Promise<PayoutPage> {
    return this.deps.reader.list(caller.merchantId, filter, limit, cursor);
  }
}
