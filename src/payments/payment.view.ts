import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { failureViewOf } from '../core/failure.js';
import { jsonOnce } from '../core/json-text.js';
import { FailureView } from '../http/failure.view.js';
import {
  Amount,
  Constant,
  Field,
  Id,
  Metadata,
  OneOf,
  TestMode,
  Text,
  Time,
  WholeNumber,
} from '../http/view-fields.js';
import { methodRule, methodTypes, type MethodType } from '../psp/payment-method.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { type PspAttempt, type Route } from '../request-storage/route.entity.js';
import { RouteView, routeViewsOf } from '../request-storage/route.view.js';
import { statedBy } from '../request-storage/decisions/person-statement.js';
import { withheldOf } from './dispute.js';
import { DisputeView, disputeViewsOf } from './dispute.view.js';
import { type NextActionView, PspSdkActionView, RedirectActionView } from './next-action.view.js';
import { type Payment, type StoredNextAction } from './payment.entity.js';
import { type PaymentStatus, paymentStatuses } from './payment.lifecycle.js';
import { firstEntityKey, leftToCapture } from './payment-state.js';

@ApiSchema({ name: 'PaymentMethodShown' })
class PaymentMethodView {
  @OneOf(methodTypes)
  readonly type: MethodType;

  @Text({
    nullable: true,
    description:
      'Which one of its type: `apple_pay`, `ideal`, `sepa` or `klarna`, for example; null for a card.',
  })
  readonly name: string | null;

  @Text({ nullable: true })
  readonly brand: string | null;

  @Text({ nullable: true, description: "The issuer's country, ISO 3166-1 alpha-2." })
  readonly country: string | null;
}

/** The payment as the API shows it; field names are the wire's. */
@ApiSchema({ name: 'Payment', description: 'A payment. Amounts are integers in minor units.' })
@ApiExtraModels(RedirectActionView, PspSdkActionView)
export class PaymentView {
  @Constant('payment')
  readonly object: 'payment';

  @Id()
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @Text()
  readonly reference: string;

  @Text({ nullable: true, description: 'The order that it is for.' })
  readonly order: string | null;

  @OneOf(paymentStatuses, {
    description:
      '`processing`: the outcome is not known yet and the service keeps working on it. `requires_action`: see `next_action`. In every other status nothing is under way.',
  })
  readonly status: PaymentStatus;

  @Text({
    nullable: true,
    description:
      "The merchant's reference of the customer. An e-mail address given as reference is not kept.",
  })
  readonly customer: string | null;

  @OneOf(['automatic', 'manual'], { description: '`manual` authorizes only; capture or cancel later.' })
  readonly capture: 'automatic' | 'manual';

  @Amount('The requested amount, in minor units.')
  readonly amount: number;

  @Amount('What is authorized and neither captured nor being captured, in minor units.')
  readonly amount_capturable: number;

  @Amount('In minor units.')
  readonly amount_captured: number;

  @Amount('In minor units.')
  readonly amount_refunded: number;

  @Amount('What the PSP holds back because of disputes, or has taken, in minor units. It cannot be refunded.')
  readonly amount_disputed: number;

  @Text()
  readonly currency: string;

  @Field({ type: PaymentMethodView, description: 'What the request said of it; tokens are not kept.' })
  readonly payment_method: PaymentMethodView;

  @Text({ nullable: true, description: 'Where the customer comes back to.' })
  readonly return_url: string | null;

  @Text({ nullable: true, description: 'The PSP account that took the payment, as soon as one did.' })
  readonly psp: string | null;

  @Text({ nullable: true, description: "That PSP's own id." })
  readonly psp_reference: string | null;

  @Text({ description: 'Names the operation at every PSP, and never changes.' })
  readonly entity_key: string;

  @Field({
    type: RouteView,
    isArray: true,
    description: 'The PSPs that were tried, in order, with the outcome of each.',
  })
  readonly routes: readonly RouteView[];

  @Field({
    type: FailureView,
    nullable: true,
    description: 'Why a payment with status `failed` failed. A decline is not an HTTP error.',
  })
  readonly failure: FailureView | null;

  @Field({
    description:
      'What the customer has to do while the status is `requires_action`; then POST `/complete`. null with that status: the PSP asked for an action that Payonce cannot pass on; the attempts name it.',
    oneOf: [
      { $ref: getSchemaPath(RedirectActionView) },
      { $ref: getSchemaPath(PspSdkActionView) },
      { type: 'null' },
    ],
  })
  readonly next_action: NextActionView | null;

  @Field({ type: DisputeView, isArray: true, description: 'What was disputed of it, the oldest first.' })
  readonly disputes: readonly DisputeView[];

  @Metadata()
  readonly metadata: Readonly<Record<string, string>>;

  @Time()
  readonly created_at: string;

  @Time()
  readonly updated_at: string;
}

/** One call on the wire as GET /v1/payments/:id/attempts shows it. */
@ApiSchema({ name: 'Attempt', description: 'One call to a PSP.' })
export class AttemptView {
  @Text()
  readonly entity_key: string;

  @WholeNumber()
  readonly route: number;

  @WholeNumber()
  readonly attempt: number;

  @Text()
  readonly psp: string;

  @Text({
    description:
      'The kind of call: execute, lookup, cancel or complete (after the customer acted); or notice, a notification that the PSP sent; or statement, what a person found out at the PSP.',
  })
  readonly kind: string;

  @Text({
    nullable: true,
    description: 'Null while the call is running, or where the process died before its answer came.',
  })
  readonly outcome: string | null;

  @Text({ nullable: true })
  readonly psp_code: string | null;

  @WholeNumber({ nullable: true })
  readonly http_status: number | null;

  @Field({ type: 'number', nullable: true })
  readonly latency_ms: number | null;

  @Text()
  readonly verdict: string;

  @Time()
  readonly started_at: string;

  @Time({ nullable: true })
  readonly ended_at: string | null;
}

export function paymentViewOf(payment: Payment, charge: OperationHistory | undefined): PaymentView {
  return {
    object: 'payment',
    id: payment.id,
    test: payment.isTest === true,
    reference: payment.reference,
    order: payment.orderReference ?? null,
    customer: payment.customerReference ?? null,
    status: payment.status,
    capture: payment.captureMode,
    amount: payment.amount,
    amount_capturable: payment.status === 'authorized' ? leftToCapture(payment) : 0,
    amount_captured: payment.amountCaptured,
    amount_refunded: payment.amountRefunded,
    amount_disputed: payment.disputes ? withheldOf(payment) : 0,
    currency: payment.currency,
    payment_method: {
      type: methodRule(payment.method ?? 'card').type,
      name: payment.method ?? null,
      brand: payment.cardBrand,
      country: payment.cardCountry,
    },
    return_url: payment.returnUrl,
    psp: payment.psp,
    psp_reference: payment.pspReference,
    entity_key: firstEntityKey(payment),
    routes: routeViewsOf(charge),
    failure: failureViewOf(payment.failure),
    next_action: actionViewOf(payment.nextAction),
    disputes: payment.disputes ? disputeViewsOf(payment) : [],
    metadata: payment.metadata,
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
  };
}

export const paymentJson = jsonOnce(paymentViewOf);

function actionViewOf(action: StoredNextAction | null): NextActionView | null {
  return action?.type === 'redirect' ? Object.assign({ method: 'GET' as const, fields: {} }, action) : action;
}

export function attemptViewOf(request: Route, attempt: PspAttempt): AttemptView {
  return {
    entity_key: attempt.entityKey,
    route: attempt.route,
    attempt: attempt.attempt,
    psp: request.psp,
    kind: statedBy(attempt) === null ? attempt.kind : 'statement',
    outcome: attempt.outcome,
    psp_code: attempt.pspCode,
    http_status: attempt.httpStatus,
    latency_ms: attempt.latencyMs,
    verdict: request.verdict,
    started_at: attempt.startedAt.toISOString(),
    ended_at: attempt.endedAt?.toISOString() ?? null,
  };
}
