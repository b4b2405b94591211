import { lifecycle } from '../core/lifecycle.js';

export const paymentStatuses = [
  'processing',
  'requires_action',
  'authorized',
  'captured',
  'partially_refunded',
  'refunded',
  'canceled',
  'failed',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** Its PSP may have taken the money, or takes it when the customer comes back. */
export function isUndecided({ status }: { readonly status: PaymentStatus }): boolean {
  return status === 'processing' || status === 'requires_action';
}

/** Events of a payment; named by what happened, not by who requested it. */
export type PaymentEvent =
  | 'opened'
  | 'charged'
  | 'authorized'
  | 'action_required'
  | 'action_completed'
  | 'failed'
  | 'captured'
  | 'part_captured'
  | 'captured_part_refunded'
  | 'voided'
  | 'rest_voided'
  | 'rest_voided_part_refunded'
  | 'rest_voided_refunded'
  | 'capture_failed'
  | 'capture_reversed'
  | 'void_failed'
  | 'part_refunded'
  | 'refunded'
  | 'refund_failed'
  | 'refund_reversed'
  | 'refund_part_reversed'
  | 'disputed';

/**
 * The life of a payment. `processing` means that the outcome is not known yet: only proof ends it, never time
 * alone. `authorized` lasts while an amount is left to capture; captured parts can be refunded meanwhile.
 */
export const paymentLifecycle = lifecycle<PaymentStatus, PaymentEvent>({
  name: 'payment',
  initial: 'processing',
  final: ['canceled', 'failed'],
  transitions: [
    { from: 'processing', event: 'charged', to: 'captured' },
    { from: 'processing', event: 'authorized', to: 'authorized' },
    { from: 'processing', event: 'action_required', to: 'requires_action' },
    { from: 'processing', event: 'failed', to: 'failed' },
    { from: 'processing', event: 'voided', to: 'canceled' },
    { from: 'requires_action', event: 'action_required', to: 'requires_action' },
    { from: 'requires_action', event: 'action_completed', to: 'processing' },
    { from: 'requires_action', event: 'charged', to: 'captured' },
    { from: 'requires_action', event: 'authorized', to: 'authorized' },
    { from: 'requires_action', event: 'failed', to: 'failed' },
    { from: 'requires_action', event: 'voided', to: 'canceled' },
    { from: 'authorized', event: 'captured', to: 'captured' },
    { from: 'authorized', event: 'part_captured', to: 'authorized' },
    { from: 'authorized', event: 'captured_part_refunded', to: 'partially_refunded' },
    { from: 'authorized', event: 'capture_failed', to: 'authorized' },
    { from: 'authorized', event: 'capture_reversed', to: 'authorized' },
    { from: 'captured', event: 'capture_reversed', to: 'authorized' },
    { from: 'authorized', event: 'voided', to: 'canceled' },
    { from: 'authorized', event: 'rest_voided', to: 'captured' },
    { from: 'authorized', event: 'rest_voided_part_refunded', to: 'partially_refunded' },
    { from: 'authorized', event: 'rest_voided_refunded', to: 'refunded' },
    { from: 'authorized', event: 'void_failed', to: 'authorized' },
    { from: 'authorized', event: 'part_refunded', to: 'authorized' },
    { from: 'authorized', event: 'refund_failed', to: 'authorized' },
    { from: 'captured', event: 'part_refunded', to: 'partially_refunded' },
    { from: 'captured', event: 'refunded', to: 'refunded' },
    { from: 'captured', event: 'refund_failed', to: 'captured' },
    { from: 'partially_refunded', event: 'part_refunded', to: 'partially_refunded' },
    { from: 'partially_refunded', event: 'refunded', to: 'refunded' },
    { from: 'partially_refunded', event: 'refund_failed', to: 'partially_refunded' },
    { from: 'authorized', event: 'refund_reversed', to: 'authorized' },
    { from: 'authorized', event: 'refund_part_reversed', to: 'authorized' },
    { from: 'partially_refunded', event: 'refund_reversed', to: 'captured' },
    { from: 'partially_refunded', event: 'refund_part_reversed', to: 'partially_refunded' },
    { from: 'refunded', event: 'refund_reversed', to: 'captured' },
    { from: 'refunded', event: 'refund_part_reversed', to: 'partially_refunded' },
    { from: 'authorized', event: 'disputed', to: 'authorized' },
    { from: 'captured', event: 'disputed', to: 'captured' },
    { from: 'partially_refunded', event: 'disputed', to: 'partially_refunded' },
    { from: 'refunded', event: 'disputed', to: 'refunded' },
  ],
});
