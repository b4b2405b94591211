import { choiceOf, type Choices, INT64, type Message, structOf, timestampOf } from '../grpc/message.js';
import { type CaptureView } from './capture.view.js';
import { type DisputeView } from './dispute.view.js';
import { type NextActionView } from './next-action.view.js';
import { type AttemptView, type PaymentView } from './payment.view.js';

/** Payments as messages of payonce.v1, made from what REST shows. */

export const paymentChoices: Choices = {
  capture: 'CAPTURE_MODE',
  payment_method: {
    type: 'PAYMENT_METHOD_TYPE',
    initiator: 'INITIATOR',
    bank_debit: { mandate: { sequence: 'MANDATE_SEQUENCE' } },
  },
  order: { amount: INT64 },
};

export const paymentFilterChoices: Choices = { status: 'PAYMENT_STATUS' };

export function paymentMessage(payment: PaymentView): Message {
  const { type, ...method } = payment.payment_method;
  return {
    ...payment,
    status: choiceOf('PAYMENT_STATUS', payment.status),
    capture: choiceOf('CAPTURE_MODE', payment.capture),
    payment_method: { ...method, type: choiceOf('PAYMENT_METHOD_TYPE', type) },
    next_action: nextActionMessage(payment.next_action),
    disputes: payment.disputes.map(disputeMessage),
    created_at: timestampOf(payment.created_at),
    updated_at: timestampOf(payment.updated_at),
  };
}

/** The response of every method that answers with one payment. */
export function paymentResponse(payment: PaymentView): Message {
  return { payment: paymentMessage(payment) };
}

function nextActionMessage(action: NextActionView | null): Message | null {
  if (action === null) return null;
  if (action.type === 'redirect') return { redirect: action };
  return { psp_sdk: { psp: action.psp, data: structOf(action.data) } };
}

export function disputeMessage(dispute: DisputeView): Message {
  return {
    ...dispute,
    respond_by: timestampOf(dispute.respond_by),
    opened_at: timestampOf(dispute.opened_at),
    closed_at: timestampOf(dispute.closed_at),
  };
}

export function captureMessage(capture: CaptureView): Message {
  return {
    ...capture,
    created_at: timestampOf(capture.created_at),
    decided_at: timestampOf(capture.decided_at),
  };
}

export function attemptMessage(attempt: AttemptView): Message {
  return {
    ...attempt,
    started_at: timestampOf(attempt.started_at),
    ended_at: timestampOf(attempt.ended_at),
  };
}
