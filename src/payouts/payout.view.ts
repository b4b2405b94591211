import { entityKey, type OperationStory, routeViewsOf } from '../request-storage/index.js';
import { type Payout } from './payout.entity.js';
import { type PayoutView } from './payouts.js';

/** The payout as clients see it. */
export function viewOf(payout: Payout, story: OperationStory | undefined): PayoutView {
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
    routes: routeViewsOf(story),
    failure: payout.failure,
    previous: payout.previous,
    metadata: payout.metadata,
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
  };
}
