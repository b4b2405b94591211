import { type Change } from '../core/change.js';
import { type EventTypeOf } from '../core/event-types.js';
import { event } from '../database/event.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { type Payout } from './payout.entity.js';
import { type PayoutStatus } from './payout.lifecycle.js';
import { payoutJson } from './payout.view.js';

/** The event of a payout that goes from `was` to `is`; null where there is none. */
export function payoutEventOf(was: PayoutStatus, is: PayoutStatus): EventTypeOf<'payout'> | null {
  return was === is || is === 'processing' ? null : `payout.${is}`;
}

/** The event that is written with a payout's next version; its id is drawn in the decision. */
export function payoutMoved(
  was: PayoutStatus,
  payout: Payout,
  history: OperationHistory,
  newId: () => string,
  now: Date,
): readonly Change[] {
  const type = payoutEventOf(was, payout.status);
  if (type === null) return [];
  const { merchantId, id } = payout;
  const data = payoutJson(payout, history);
  return [event({ merchantId, id: newId(), type, subject: `payout:${id}`, data, at: now })];
}
