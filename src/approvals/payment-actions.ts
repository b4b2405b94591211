import { Injectable } from '@nestjs/common';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type ModifyPayment } from '../payments/modify-payment.js';
import { PaymentsService } from '../payments/payments.service.js';
import { RefundsService } from '../refunds/refunds.service.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { type OperationAction } from './approvable-action.js';
import { actorOf } from '../operators/action-log.js';
import { verdictOnBegun } from './verdict.js';

type PaymentAct = Extract<OperationAction, { kind: 'cancel_payment' | 'refund_payment' }>;

/** Cancels and refunds that operators have made: by the flows that merchants' requests take. */
@Injectable()
export class PaymentActs {
  constructor(
    private readonly runner: IdempotentRunner,
    private readonly payments: PaymentsService,
    private readonly refunds: RefundsService,
    private readonly ids: Ids,
  ) {}

  /** Previews the first step: its flow decides, and nothing is written. @throws Problem where it is refused */
  async foresee(action: PaymentAct, operator: { readonly name: string }): Promise<string> {
    const { flow, request } = this.requestOf(action, operator, `foresee-${this.ids.uuid()}`);
    const { allowed, headline } = verdictOnBegun(await this.runner.foresee(flow, request));
    if (!allowed) throw new Problem('invalid_state', headline);
    return headline;
  }

  /**
   * Under a key made of the approval's id: however often it is done, it has one effect, and the completer ends what
   * a dying process leaves. @throws Problem where it is refused
   */
  async perform(
    action: PaymentAct,
    operator: { readonly name: string },
    approvalId: string,
  ): Promise<string> {
    const { flow, request } = this.requestOf(action, operator, `approval-${approvalId}`);
    const { status, body } = await this.runner.run(flow, request);
    const answer = JSON.parse(body) as { readonly status: string; readonly detail?: string };
    if (status >= 400) throw new Problem('invalid_state', answer.detail ?? 'It is refused.');
    return answer.status;
  }

  private requestOf(action: PaymentAct, operator: { readonly name: string }, key: string) {
    const subject = subjectOf(action.entity_key);
    if (subject?.kind !== 'payment') {
      throw new Problem('invalid_state', 'A payout is neither canceled nor refunded.');
    }
    const isRefund = action.kind === 'refund_payment';
    const input: ModifyPayment = {
      paymentId: subject.id,
      amount: isRefund ? action.amount : null,
      reference: isRefund ? action.reference : null,
      reason: isRefund ? action.evidence : null,
      metadata: {},
    };
    const traceId = `console-${this.ids.uuid()}`;
    const request = {
      merchantId: action.merchant_id,
      key,
      actor: actorOf(operator),
      traceId,
      input,
      waitMs: 0,
    };
    return { flow: isRefund ? this.refunds.flow : this.payments.flows.cancel, request };
  }
}
