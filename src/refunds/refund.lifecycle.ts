import { lifecycle } from '../core/lifecycle.js';

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** What can happen to a refund. */
export type RefundEvent = 'refunded' | 'failed' | 'asked_again' | 'reversed';

/**
 * The life of a refund. `pending` until it is known what the PSP did; one that failed moved nothing,
 * so it may be asked for again under its own name. One that the PSP had done and that comes back from the
 * card's bank fails as well, but its name is used up (docs/adr/0020).
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
