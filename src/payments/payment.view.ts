import { type OperationHistory } from '../request-storage/attempt.js';
import { type PspAttempt, type PspRequest } from '../request-storage/psp-request.entity.js';
import { failureViewOf } from '../core/failure.js';
import { routeViewsOf } from '../request-storage/told.js';
import { disputeViewsOf, withheldOf } from './dispute.js';
import { type Payment, type StoredNextAction } from './payment.entity.js';
import { firstEntityKey } from './payment-state.js';
import { type AttemptView, type NextActionView, type PaymentView } from './payments.js';

/** The payment as clients see it. */
export function viewOf(payment: Payment, charge: OperationHistory | undefined): PaymentView {
  return {
    object: 'payment',
    id: payment.id,
    reference: payment.reference,
    status: payment.status,
    amount: payment.amount,
    amount_captured: payment.amountCaptured,
    amount_refunded: payment.amountRefunded,
    amount_disputed: withheldOf(payment),
    currency: payment.currency,
    psp: payment.psp,
    psp_reference: payment.pspReference,
    entity_key: firstEntityKey(payment),
    routes: routeViewsOf(charge),
    failure: failureViewOf(payment.failure),
    next_action: actionViewOf(payment.nextAction),
    disputes: disputeViewsOf(payment),
    metadata: payment.metadata,
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
  };
}

function actionViewOf(action: StoredNextAction | null): NextActionView | null {
  return action?.type === 'redirect' ? { method: 'GET', fields: {}, ...action } : action;
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
