import { lifecycle } from '../core/lifecycle.js';

export const payoutStatuses = ['processing', 'paid', 'failed', 'returned'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** The events of a payout; named by what was learned, not by who asked. */
export type PayoutEvent = 'opened' | 'paid' | 'failed' | 'returned';

/**
 * The life of a payout. `processing` is the state of not knowing yet: nothing but proof leads out of
 * it, and as long as it lasts the recipient's next payout waits. A payout that is paid may come back, days later.
 */
export const payoutLifecycle = lifecycle<PayoutStatus, PayoutEvent>({
  name: 'payout',
  initial: 'processing',
  final: ['failed', 'returned'],
  transitions: [
    { from: 'processing', event: 'paid', to: 'paid' },
    { from: 'processing', event: 'failed', to: 'failed' },
    { from: 'paid', event: 'returned', to: 'returned' },
  ],
});
