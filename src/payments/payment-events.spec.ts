import { paymentEventOf } from './payment-events.js';
import {
  type PaymentEvent,
  paymentLifecycle,
  type PaymentStatus,
  paymentStatuses,
} from './payment.lifecycle.js';

/** Every transition of the lifecycle, and the event that the merchant gets. */
const lines: readonly [PaymentStatus, PaymentEvent, PaymentStatus, string | null][] = [
  ['processing', 'charged', 'captured', 'payment.captured'],
  ['processing', 'authorized', 'authorized', 'payment.authorized'],
  ['processing', 'action_required', 'requires_action', 'payment.requires_action'],
  ['processing', 'failed', 'failed', 'payment.failed'],
  ['processing', 'voided', 'canceled', 'payment.canceled'],
  ['requires_action', 'action_required', 'requires_action', 'payment.requires_action'],
  ['requires_action', 'action_completed', 'processing', null],
  ['requires_action', 'charged', 'captured', 'payment.captured'],
  ['requires_action', 'authorized', 'authorized', 'payment.authorized'],
  ['requires_action', 'failed', 'failed', 'payment.failed'],
  ['requires_action', 'voided', 'canceled', 'payment.canceled'],
  ['authorized', 'captured', 'captured', 'payment.captured'],
  ['authorized', 'part_captured', 'authorized', 'payment.captured'],
  ['authorized', 'captured_part_refunded', 'partially_refunded', 'payment.captured'],
  ['authorized', 'capture_failed', 'authorized', null],
  ['authorized', 'voided', 'canceled', 'payment.canceled'],
  ['authorized', 'rest_voided', 'captured', 'payment.captured'],
  ['authorized', 'rest_voided_part_refunded', 'partially_refunded', 'payment.captured'],
  ['authorized', 'rest_voided_refunded', 'refunded', 'payment.captured'],
  ['authorized', 'void_failed', 'authorized', null],
  ['authorized', 'part_refunded', 'authorized', null],
  ['authorized', 'refund_failed', 'authorized', null],
  ['captured', 'part_refunded', 'partially_refunded', null],
  ['captured', 'refunded', 'refunded', null],
  ['captured', 'refund_failed', 'captured', null],
  ['partially_refunded', 'part_refunded', 'partially_refunded', null],
  ['partially_refunded', 'refunded', 'refunded', null],
  ['partially_refunded', 'refund_failed', 'partially_refunded', null],
  ['authorized', 'capture_reversed', 'authorized', 'payment.capture_failed'],
  ['captured', 'capture_reversed', 'authorized', 'payment.capture_failed'],
  ['authorized', 'refund_reversed', 'authorized', null],
  ['authorized', 'refund_part_reversed', 'authorized', null],
  ['partially_refunded', 'refund_reversed', 'captured', null],
  ['partially_refunded', 'refund_part_reversed', 'partially_refunded', null],
  ['refunded', 'refund_reversed', 'captured', null],
  ['refunded', 'refund_part_reversed', 'partially_refunded', null],
  ['authorized', 'disputed', 'authorized', null],
  ['captured', 'disputed', 'captured', null],
  ['partially_refunded', 'disputed', 'partially_refunded', null],
  ['refunded', 'disputed', 'refunded', null],
];
const learnable = new Set(lines.map(([, event]) => event));

describe('what a merchant is told of a payment', () => {
  it.each(lines)('%s, %s, %s: %s', (was, learned, is, type) => {
    expect(paymentLifecycle.after(was, learned)).toBe(is);
    expect(paymentEventOf(was, is, learned)).toBe(type);
  });

  it('is stated for every line of the lifecycle', () => {
    const allowed = paymentStatuses.flatMap((was) =>
      [...learnable].filter((learned) => paymentLifecycle.allows(was, learned)).map((e) => `${was} ${e}`),
    );
    expect(allowed.toSorted()).toEqual(lines.map(([was, event]) => `${was} ${event}`).toSorted());
    // The line of the diagram that leads in is the opening; everything else is in the table.
    const drawn = [...paymentLifecycle.mermaid().matchAll(/^\s*(\w+) --> \w+/gm)];
    expect(drawn).toHaveLength(lines.length);
  });
});
