import { lifecycle } from '../kernel/index.js';

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

/** What can happen to a refund. */
export type RefundEvent = 'refunded' | 'failed' | 'asked_again';

/**
 * The life of a refund. `pending` until it is known what the PSP did; one that failed moved nothing,
 * so it may be asked for again under its own name.
 */
export const refundLifecycle = lifecycle<RefundStatus, RefundEvent>({
  name: 'refund',
  initial: 'pending',
  final: ['succeeded'],
  transitions: [
    { from: 'pending', event: 'refunded', to: 'succeeded' },
    { from: 'pending', event: 'failed', to: 'failed' },
    { from: 'failed', event: 'asked_again', to: 'pending' },
  ],
});
