import { Injectable } from '@nestjs/common';
import { type Page } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { type KeyedAnswer, IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { keyedRequest, type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { PspRouter } from '../psp/router.js';
import { PayoutOwner } from './payout-owner.js';
import { candidatesOf, PayoutFlow } from './payout.flow.js';
import { PayoutReader } from './payout.reader.js';
import { type PayoutView, viewOf } from './payout.view.js';
import { type NewPayout, type PayoutFilter } from './payouts.js';

/** Each call is one flow under the caller's key, or one read. Every refusal is a thrown `Problem`. */
@Injectable()
export class PayoutsService {
  /** What the completer takes up again. */
  readonly flow: PayoutFlow;
  private readonly testFlow: PayoutFlow;

  constructor(
    private readonly owner: PayoutOwner,
    private readonly runner: IdempotentRunner,
    router: PspRouter,
    private readonly reader: PayoutReader,
  ) {
    this.flow = new PayoutFlow(owner, candidatesOf(router, false), reader);
    this.testFlow = new PayoutFlow(owner, candidatesOf(router, true), reader);
  }

  /**
   * 201 with a payout that has ended, 202 with one that has not. Throws `payout_in_progress` and
   * `payout_sequence_stale` where `previous` is not what the recipient's sequence has come to, and
   * `payout_limit_exceeded` where it is too much for a day.
   */
  create(context: RequestContext, payout: NewPayout): Promise<KeyedAnswer> {
    return this.runner.run(context.caller.isTest ? this.testFlow : this.flow, keyedRequest(context, payout));
  }

  async get({ merchantId }: Caller, payoutId: string): Promise<PayoutView> {
    const state = await this.owner.find(merchantId, payoutId);
    if (!state) throw new Problem('not_found', 'No such payout.');
    return viewOf(state.payout, state.history);
  }

  list(
    { merchantId }: Caller,
    filter: PayoutFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PayoutView>> {
    return this.reader.list(merchantId, filter, limit, cursor);
  }
}
