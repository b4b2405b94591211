/** The types of the events that merchants get: the object and what became of it. */
export const eventTypes = [
  'payment.authorized',
  'payment.captured',
  'payment.capture_failed',
  'payment.failed',
  'payment.canceled',
  'payment.requires_action',
  'payment.stuck',
  'order.paid',
  'order.overpaid',
  'order.released',
  'refund.succeeded',
  'refund.failed',
  'dispute.opened',
  'dispute.won',
  'dispute.lost',
  'payout.paid',
  'payout.failed',
  'payout.returned',
] as const;
export type EventType = (typeof eventTypes)[number];

export type EventTypeOf<Noun extends string> = Extract<EventType, `${Noun}.${string}`>;
