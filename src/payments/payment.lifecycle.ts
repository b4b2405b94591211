import { lifecycle } from '../kernel/index.js';
import { type PaymentStatus } from './payments.js';

/** What can happen to a payment; named by what was learned, not by who asked. */
export type PaymentEvent =
  | 'opened'
  | 'charged'
  | 'authorized'
  | 'action_required'
  | 'failed'
  | 'captured'
  | 'voided'
  | 'capture_failed'
  | 'void_failed';

/** The states that exist before refunds do. */
type Status = Exclude<PaymentStatus, 'partially_refunded' | 'refunded'>;

/**
 * The life of a payment. `processing` is the state of not knowing yet: nothing but proof leads out
 * of it, and time alone never does.
 */
export const paymentLifecycle = lifecycle<Status, PaymentEvent>({
  name: 'payment',
  initial: 'processing',
  final: ['captured', 'canceled', 'failed'],
  transitions: [
    { from: 'processing', event: 'charged', to: 'captured' },
    { from: 'processing', event: 'authorized', to: 'authorized' },
    { from: 'processing', event: 'action_required', to: 'requires_action' },
    { from: 'processing', event: 'failed', to: 'failed' },
    { from: 'processing', event: 'voided', to: 'canceled' },
    { from: 'requires_action', event: 'charged', to: 'captured' },
    { from: 'requires_action', event: 'authorized', to: 'authorized' },
    { from: 'requires_action', event: 'failed', to: 'failed' },
    { from: 'requires_action', event: 'voided', to: 'canceled' },
    { from: 'authorized', event: 'captured', to: 'captured' },
    { from: 'authorized', event: 'capture_failed', to: 'authorized' },
    { from: 'authorized', event: 'voided', to: 'canceled' },
    { from: 'authorized', event: 'void_failed', to: 'authorized' },
  ],
});
