import { type Change } from '../core/change.js';
import { type EventTypeOf } from '../core/event-types.js';
import { event } from '../database/event.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { type StepResult } from '../request-storage/decisions/advance.js';
import { type Payment } from './payment.entity.js';
import { type PaymentEvent, type PaymentStatus } from './payment.lifecycle.js';
import { type NewId } from './payment-operation.js';
import { firstEntityKey, type PaymentState } from './payment-state.js';
import { paymentJson } from './payment.view.js';

/**
 * The event when a payment changes from `was` to `is`; null if there is none. Refunds have their own events, and an
 * operation that failed without changing the payment is only answered to its client.
 */
export function paymentEventOf(
  was: PaymentStatus,
  is: PaymentStatus,
  learned: PaymentEvent,
): EventTypeOf<'payment'> | null {
  switch (learned) {
    case 'charged':
    case 'captured':
    case 'captured_part_refunded':
    case 'part_captured':
      return 'payment.captured';
    case 'rest_voided':
    case 'rest_voided_part_refunded':
    case 'rest_voided_refunded':
      // Nothing more can be captured.
      return was === is ? null : 'payment.captured';
    case 'capture_reversed':
      return 'payment.capture_failed';
    case 'authorized':
      return 'payment.authorized';
    case 'action_required':
      return 'payment.requires_action';
    case 'failed':
      return 'payment.failed';
    case 'voided':
      return 'payment.canceled';
    case 'opened':
    case 'action_completed':
    case 'capture_failed':
    case 'void_failed':
    case 'part_refunded':
    case 'refunded':
    case 'refund_failed':
    case 'refund_reversed':
    case 'refund_part_reversed':
    case 'disputed':
      return null;
  }
}

/** The event that is written with a payment's next version. */
export function paymentMoved(
  was: Payment,
  { payment, histories }: Pick<PaymentState, 'payment' | 'histories'>,
  learned: PaymentEvent,
  newId: NewId,
  now: Date,
): readonly Change[] {
  const type = paymentEventOf(was.status, payment.status, learned);
  return type === null ? [] : [eventOf(type, payment, histories.get(firstEntityKey(payment)), newId, now)];
}

/** Once for a route: a person must decide an operation of the payment. */
export function paymentStuck(
  before: OperationHistory | undefined,
  { payment, histories }: Pick<PaymentState, 'payment' | 'histories'>,
  { step }: Pick<StepResult, 'step'>,
  newId: NewId,
  now: Date,
): readonly Change[] {
  const route = before?.routes.at(-1)?.request;
  if (step.do !== 'stuck' || !route || route.firstStuckAt) return [];
  return [eventOf('payment.stuck', payment, histories.get(firstEntityKey(payment)), newId, now)];
}

function eventOf(
  type: EventTypeOf<'payment'>,
  payment: Payment,
  charge: OperationHistory | undefined,
  newId: NewId,
  at: Date,
): Change {
  const { merchantId, id } = payment;
  const data = paymentJson(payment, charge);
  return event({ merchantId, id: newId(), type, subject: `payment:${id}`, data, at });
}
