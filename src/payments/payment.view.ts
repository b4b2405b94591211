import {
  type OperationStory,
  type PspAttempt,
  type PspRequest,
  routeViewsOf,
} from '../request-storage/index.js';
import { type Payment } from './payment.entity.js';
import { firstEntityKey } from './payment-state.js';
import { type AttemptView, type PaymentView } from './payments.js';

/** The payment as clients see it. */
export function viewOf(payment: Payment, charge: OperationStory | undefined): PaymentView {
  return {
    object: 'payment',
    id: payment.id,
    reference: payment.reference,
    status: payment.status,
    amount: payment.amount,
    amount_captured: payment.amountCaptured,
    amount_refunded: payment.amountRefunded,
    currency: payment.currency,
    psp: payment.psp,
    psp_reference: payment.pspReference,
    entity_key: firstEntityKey(payment),
    routes: routeViewsOf(charge),
    failure: payment.failure,
    next_action: payment.nextAction,
    metadata: payment.metadata,
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
  };
}

export function attemptViewOf(request: PspRequest, attempt: PspAttempt): AttemptView {
  return {
    entity_key: attempt.entityKey,
    route: attempt.route,
    attempt: attempt.attempt,
    psp: request.psp,
    kind: attempt.kind,
    outcome: attempt.outcome,
    psp_code: attempt.pspCode,
    http_status: attempt.httpStatus,
    latency_ms: attempt.latencyMs,
    verdict: request.verdict,
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt?.toISOString() ?? null,
  };
}
