import { type Change } from '../core/change.js';
import { event } from '../database/event.js';
import { type OperationHistory } from '../request-storage/attempt.js';
import { type Payout } from './payout.entity.js';
import { type PayoutStatus } from './payout.lifecycle.js';
import { viewOf } from './payout.view.js';

/** What merchants are told of a payout. */
export const payoutEventTypes = ['payout.paid', 'payout.failed', 'payout.returned'] as const;
export type PayoutEventType = (typeof payoutEventTypes)[number];

/** What merchants are told when a payout goes from `was` to `is`; null where they are told nothing. */
export function payoutEventOf(was: PayoutStatus, is: PayoutStatus): PayoutEventType | null {
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
  const data = { ...viewOf(payout, history) };
  return [event({ merchantId, id: newId(), type, subject: `payout:${id}`, data, at: now })];
}
