import { type OperationHistory } from '../request-storage/attempt.js';
import { entityKey } from '../request-storage/entity-key.js';
import { failureViewOf } from '../core/failure.js';
import { routeViewsOf } from '../request-storage/told.js';
import { type Payout } from './payout.entity.js';
import { type PayoutView } from './payouts.js';

/** The payout as clients see it. */
export function viewOf(payout: Payout, history: OperationHistory | undefined): PayoutView {
  return {
    object: 'payout',
    id: payout.id,
    reference: payout.reference,
    recipient: payout.recipient,
    status: payout.status,
    amount: payout.amount,
    currency: payout.currency,
    psp: payout.psp,
    psp_reference: payout.pspReference,
    entity_key: entityKey.send(payout.id),
    routes: routeViewsOf(history),
    failure: failureViewOf(payout.failure),
    previous: payout.previous,
    metadata: payout.metadata,
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
  };
}
