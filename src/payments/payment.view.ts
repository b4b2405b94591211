import { type OperationStory, type PspRequest, type PspAttempt } from '../request-storage/index.js';
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
    routes: (charge?.routes ?? []).map(({ request, attempts }) => ({
      route: request.route,
      psp: request.psp,
      verdict: request.verdict,
      outcome: outcomeOf(attempts),
    })),
    failure: payment.failure,
    next_action: payment.nextAction,
    metadata: payment.metadata,
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
  };
}

/** The last thing a PSP said about the route: the latest answer that says anything. */
function outcomeOf(attempts: readonly PspAttempt[]): string | null {
  const told = attempts.findLast(({ outcome }) => outcome !== null && outcome !== 'unknown');
  return (told ?? attempts.at(-1))?.outcome ?? null;
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
