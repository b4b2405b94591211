import { ApiSchema } from '@nestjs/swagger';
import { Amount, Constant, Id, OneOf, TestMode, Text, Time } from '../http/view-fields.js';
import { type Dispute, type Disputed, type DisputeStatus, disputeStatuses } from './dispute.js';

/** The dispute as the API shows it; field names are the wire's. */
@ApiSchema({
  name: 'Dispute',
  description: 'A dispute (chargeback) of a payment. Amounts are integers in minor units.',
})
export class DisputeView {
  @Constant('dispute')
  readonly object: 'dispute';

  @Id()
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @Id()
  readonly payment_id: string;

  @Text({ nullable: true, description: 'The PSP account that took the payment.' })
  readonly psp: string | null;

  @Text({ description: "That PSP's own id of the dispute." })
  readonly psp_reference: string;

  @OneOf(disputeStatuses, {
    description:
      '`open`: the bank has not decided. `lost`: the bank keeps the money, unless the dispute is won later.',
  })
  readonly status: DisputeStatus;

  @Text({ nullable: true, description: "The PSP's word for why, verbatim." })
  readonly reason: string | null;

  @Amount('What is disputed, in minor units.')
  readonly amount: number;

  @Amount('As much of it as the PSP holds back now, or has taken.')
  readonly amount_withheld: number;

  @Text()
  readonly currency: string;

  @Time({
    nullable: true,
    description:
      "Until when the bank takes an answer, which is given in the PSP's own dashboard; null: the PSP has not said.",
  })
  readonly respond_by: string | null;

  @Time()
  readonly opened_at: string;

  @Time({ nullable: true })
  readonly closed_at: string | null;
}

export function disputeViewOf({ id, psp, currency, isTest }: Disputed, dispute: Dispute): DisputeView {
  return {
    object: 'dispute',
    id: dispute.id,
    test: isTest === true,
    payment_id: id,
    psp,
    psp_reference: dispute.pspReference,
    status: dispute.status,
    reason: dispute.reason,
    amount: dispute.amount,
    amount_withheld: dispute.amountWithheld,
    currency,
    respond_by: dispute.respondBy ?? null,
    opened_at: dispute.openedAt,
    closed_at: dispute.closedAt,
  };
}

export function disputeViewsOf(payment: Disputed): DisputeView[] {
  return (payment.disputes ?? []).map((dispute) => disputeViewOf(payment, dispute));
}
