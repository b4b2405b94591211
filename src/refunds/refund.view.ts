import { ApiSchema } from '@nestjs/swagger';
import { failureViewOf } from '../core/failure.js';
import { jsonOnce } from '../core/json-text.js';
import { FailureView } from '../http/failure.view.js';
import { Amount, Constant, Field, Id, Metadata, OneOf, TestMode, Text, Time } from '../http/view-fields.js';
import { type Refund } from './refund.entity.js';
import { type RefundStatus, refundStatuses } from './refund.lifecycle.js';

/** The refund as the API shows it; field names are the wire's. */
@ApiSchema({ name: 'Refund', description: 'A refund of a payment. Amounts are integers in minor units.' })
export class RefundView {
  @Constant('refund')
  readonly object: 'refund';

  @Id()
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @Id()
  readonly payment_id: string;

  @Text({
    nullable: true,
    description: 'Names this refund among several of the payment; null where the request had no reference.',
  })
  readonly reference: string | null;

  @OneOf(refundStatuses, {
    description:
      '`pending`: the outcome is not known yet and the service keeps working on it. `failed`: nothing was given back, and the same refund may be requested again under a new Idempotency-Key. A refund that failed days after the PSP had made it is `failed` too; a request for it is answered `refund_reversed`, and a new refund takes another `reference`.',
  })
  readonly status: RefundStatus;

  @Amount('In minor units.')
  readonly amount: number;

  @Text()
  readonly currency: string;

  @Text({ nullable: true })
  readonly reason: string | null;

  @Text({ nullable: true, description: 'The PSP account that took the payment.' })
  readonly psp: string | null;

  @Text({ nullable: true, description: "That PSP's own id of the refund." })
  readonly psp_reference: string | null;

  @Text({ description: 'Names the refund at its PSP, and never changes.' })
  readonly entity_key: string;

  @Field({ type: FailureView, nullable: true, description: 'Why a refund with status `failed` failed.' })
  readonly failure: FailureView | null;

  @Metadata()
  readonly metadata: Readonly<Record<string, string>>;

  @Field({
    type: 'boolean',
    const: true,
    required: false,
    description:
      'Only in the answer to POST, and only where another request had made this refund. Without a `reference` a payment has one refund: another one needs a `reference` of its own.',
  })
  readonly existing?: true;

  @Time()
  readonly created_at: string;

  @Time()
  readonly updated_at: string;
}

export function refundViewOf(refund: Refund): RefundView {
  return {
    object: 'refund',
    id: refund.id,
    test: refund.isTest === true,
    payment_id: refund.paymentId,
    reference: refund.reference,
    status: refund.status,
    amount: refund.amount,
    currency: refund.currency,
    reason: refund.reason,
    psp: refund.psp,
    psp_reference: refund.pspReference,
    entity_key: refund.entityKey,
    failure: failureViewOf(refund.failure),
    metadata: refund.metadata,
    created_at: refund.createdAt.toISOString(),
    updated_at: refund.updatedAt.toISOString(),
  };
}

export const refundJson = jsonOnce(refundViewOf);
