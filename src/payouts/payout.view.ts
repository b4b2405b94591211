import { ApiSchema } from '@nestjs/swagger';
import { failureViewOf } from '../core/failure.js';
import { jsonOnce } from '../core/json-text.js';
import { FailureView } from '../http/failure.view.js';
import { Amount, Constant, Field, Id, Metadata, OneOf, TestMode, Text, Time } from '../http/view-fields.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { entityKey } from '../request-storage/entity-key.js';
import { RouteView, routeViewsOf } from '../request-storage/route.view.js';
import { type Payout } from './payout.entity.js';
import { type PayoutStatus, payoutStatuses } from './payout.lifecycle.js';

/** The payout as the API shows it; field names are the wire's. */
@ApiSchema({ name: 'Payout', description: 'A payout. Amounts are integers in minor units.' })
export class PayoutView {
  @Constant('payout')
  readonly object: 'payout';

  @Id()
  readonly id: string;

  @TestMode()
  readonly test: boolean;

  @Text()
  readonly reference: string;

  @Text({ description: "The recipient's reference." })
  readonly recipient: string;

  @OneOf(payoutStatuses, {
    description:
      '`processing`: the outcome is not known yet, the service keeps working on it, and the next payout to this recipient waits. `failed` is final. `paid` is as well, unless the money comes back: `returned`.',
  })
  readonly status: PayoutStatus;

  @Amount('In minor units.')
  readonly amount: number;

  @Text()
  readonly currency: string;

  @Text({ nullable: true, description: 'The PSP account that made the payout, as soon as one did.' })
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
    description:
      'Why a payout with status `failed` failed (nothing was paid), or why the money of a `returned` one came back.',
  })
  readonly failure: FailureView | null;

  @Id({
    nullable: true,
    description: 'The payout to this recipient that had ended before; null for the first.',
  })
  readonly previous: string | null;

  @Metadata()
  readonly metadata: Readonly<Record<string, string>>;

  @Time()
  readonly created_at: string;

  @Time()
  readonly updated_at: string;
}

export function payoutViewOf(payout: Payout, history: OperationHistory | undefined): PayoutView {
  return {
    object: 'payout',
    id: payout.id,
    test: payout.isTest === true,
    reference: payout.reference,
    recipient: payout.recipient,
    status: payout.status,
    amount: payout.amount,
    currency: payout.currency,
    psp: payout.psp,
    psp_reference: payout.pspReference,
    entity_key: entityKey.send(payout.id),
    routes: routeViewsOf(history),
    failure: failureViewOf(payout.failure),
    previous: payout.previous,
    metadata: payout.metadata,
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
  };
}

export const payoutJson = jsonOnce(payoutViewOf);
