import { lifecycle } from '../core/lifecycle.js';

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** The events of a refund. */
type RefundEvent = 'refunded' | 'failed' | 'asked_again' | 'reversed';

/**
 * The life of a refund. `pending` until it is known what the PSP did; a failed refund moved nothing, so it may be
 * requested again under its name. If the card's bank returns a refund that the PSP had done, it fails as well, but
 * its name cannot be used again (docs/adr/0020).
 */
export const refundLifecycle = lifecycle<RefundStatus, RefundEvent>({
  name: 'refund',
  initial: 'pending',
  final: [],
  transitions: [
    { from: 'pending', event: 'refunded', to: 'succeeded' },
    { from: 'pending', event: 'failed', to: 'failed' },
    { from: 'failed', event: 'asked_again', to: 'pending' },
    { from: 'succeeded', event: 'reversed', to: 'failed' },
  ],
});
