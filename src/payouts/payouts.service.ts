import { Injectable } from '@nestjs/common';
import { type Page } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type KeyedAnswer, keyedRequest, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';
import { PspRouter } from '../psp/router.js';
import { PayoutOperations } from './payout-operations.js';
import { candidatesOf, PayoutFlow } from './payout.flow.js';
import { PayoutReader } from './payout.reader.js';
import { type PayoutView, payoutViewOf } from './payout.view.js';
import { type NewPayout } from './dto/create-payout.dto.js';
import { type PayoutFilter } from './dto/list-payouts.dto.js';
import { Recipients } from './recipients.js';

/** Each call is one flow under the caller's key, or one read. Every refusal is a thrown `Problem`. */
@Injectable()
export class PayoutsService {
  /** The flow that the completer resumes. The payout was accepted, so the recipient rule is not checked again. */
  readonly flow: PayoutFlow;

  constructor(
    private readonly operations: PayoutOperations,
    private readonly runner: IdempotentRunner,
    private readonly router: PspRouter,
    private readonly reader: PayoutReader,
    private readonly recipients: Recipients,
  ) {
    this.flow = this.flowFor({ isTest: false, payoutRecipients: 'any' });
  }

  /**
   * 201 with a payout that has ended, 202 with one that has not. Throws `payout_in_progress` and
   * `payout_sequence_stale` where `previous` is not what the recipient's sequence has come to, and
   * `payout_limit_exceeded` where it is too much for a day, and `recipient_not_registered` and `recipient_not_approved`
   * where the merchant may not pay this recipient.
   */
  create(context: RequestContext, payout: NewPayout): Promise<KeyedAnswer> {
    return this.runner.run(this.flowFor(context.caller), keyedRequest(context, payout));
  }

  async get({ merchantId }: Caller, payoutId: string): Promise<PayoutView> {
    const state = await this.operations.find(merchantId, payoutId);
    if (!state) throw new Problem('not_found', 'No such payout.');
    return payoutViewOf(state.payout, state.history);
  }

  list(
    { merchantId }: Caller,
    filter: PayoutFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PayoutView>> {
    return this.reader.list(merchantId, filter, limit, cursor);
  }

  private flowFor({ isTest, payoutRecipients }: Pick<Caller, 'isTest' | 'payoutRecipients'>): PayoutFlow {
    const { operations, router, reader, recipients } = this;
    return new PayoutFlow(
      operations,
      candidatesOf(router, isTest),
      reader,
      recipients,
      payoutRecipients !== 'any',
      isTest,
    );
  }
}
