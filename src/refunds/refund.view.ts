import { type Failure, failureViewOf } from '../core/failure.js';
import { type Refund } from './refund.entity.js';
import { type RefundStatus } from './refund.lifecycle.js';

/** The refund as the API shows it; field names are the wire's. */
export interface RefundView {
  readonly object: 'refund';
  readonly id: string;
  readonly payment_id: string;
  readonly reference: string | null;
  readonly status: RefundStatus;
  readonly amount: number;
  readonly currency: string;
  readonly reason: string | null;
  readonly psp: string | null;
  readonly psp_reference: string | null;
  readonly entity_key: string;
  readonly failure: Failure | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly updated_at: string;
}

export function refundViewOf(refund: Refund): RefundView {
  return {
    object: 'refund',
    id: refund.id,
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
