import { type RefundStatus } from './refund.lifecycle.js';

/** What merchants are told of a refund. */
export const refundEventTypes = ['refund.succeeded', 'refund.failed'] as const;
export type RefundEventType = (typeof refundEventTypes)[number];

/** What merchants are told when a refund goes from `was` to `is`; null where they are told nothing. */
export function refundEventOf(was: RefundStatus, is: RefundStatus): RefundEventType | null {
  return was === is || is === 'pending' ? null : `refund.${is}`;
}
