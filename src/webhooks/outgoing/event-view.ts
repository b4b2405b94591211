import { disputeEventTypes } from '../../payments/dispute.js';
import { paymentEventTypes } from '../../payments/payment-events.js';
import { payoutEventTypes } from '../../payouts/payout-events.js';
import { refundEventTypes } from '../../refunds/refund-events.js';

/** What merchants can be told of. */
export const eventTypes = [
  ...paymentEventTypes,
  ...refundEventTypes,
  ...disputeEventTypes,
  ...payoutEventTypes,
] as const;
export type EventType = (typeof eventTypes)[number];

/** Sent by `ping`, to one endpoint alone. */
export const PING = 'ping';

/** An event as its row has it. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** An event as the API shows it and as endpoints get it; field names are the wire's. */
export interface EventView {
  readonly object: 'event';
  readonly id: string;
  readonly type: string;
  /** RFC 3339: when it became so. */
  readonly timestamp: string;
  /** The payment, refund, dispute or payout as it was shown then. */
  readonly data: Readonly<Record<string, unknown>>;
}

export function eventViewOf({ id, type, at, data }: EventRow): EventView {
  return { object: 'event', id, type, timestamp: at.toISOString(), data };
}
