import { type Change } from '../core/change.js';
import { type EventTypeOf } from '../core/event-types.js';
import { event } from '../database/event.js';
import { type Refund } from './refund.entity.js';
import { type RefundStatus } from './refund.lifecycle.js';
import { refundJson } from './refund.view.js';

/** The event when a refund changes from `was` to `is`; null if there is none. */
export function refundEventOf(was: RefundStatus, is: RefundStatus): EventTypeOf<'refund'> | null {
  return was === is || is === 'pending' ? null : `refund.${is}`;
}

/** The event that is written with a refund's next state. */
export function refundMoved(was: Refund, refund: Refund, newId: () => string, now: Date): readonly Change[] {
  const type = refundEventOf(was.status, refund.status);
  if (type === null) return [];
  const { merchantId, id } = refund;
  const data = refundJson(refund);
  return [event({ merchantId, id: newId(), type, subject: `refund:${id}`, data, at: now })];
}
