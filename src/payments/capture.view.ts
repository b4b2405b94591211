import { ApiSchema } from '@nestjs/swagger';
import { Amount, Constant, Id, OneOf, Text, Time } from '../http/view-fields.js';
import { cameBack, type RouteHistory } from '../request-storage/decisions/assess-route.js';
import { type OperationHistory } from '../request-storage/decisions/attempt.js';
import { entityKey } from '../request-storage/entity-key.js';
import { type Payment } from './payment.entity.js';

const captureStatuses = ['processing', 'captured', 'failed'] as const;
type CaptureStatus = (typeof captureStatuses)[number];

/** The capture as the API shows it; field names are the wire's. */
@ApiSchema({ name: 'Capture', description: 'A capture of a payment. Amounts are integers in minor units.' })
export class CaptureView {
  @Constant('capture')
  readonly object: 'capture';

  @Id()
  readonly payment_id: string;

  @Text({
    nullable: true,
    description: 'Names it among several of the payment; null where its request had no reference.',
  })
  readonly reference: string | null;

  @OneOf(captureStatuses, {
    description:
      '`processing`: the outcome is not known yet and the service keeps working on it. `failed`: nothing was taken, or what was taken came back. Only what is `captured` counts in `amount_captured` of the payment.',
  })
  readonly status: CaptureStatus;

  @Amount('In minor units.')
  readonly amount: number;

  @Text()
  readonly currency: string;

  @Text({ description: 'The PSP account that took the payment.' })
  readonly psp: string;

  @Text({ nullable: true, description: "That PSP's own id of the capture, where it has one." })
  readonly psp_reference: string | null;

  @Text({ nullable: true, description: 'The code that the PSP gave last, verbatim.' })
  readonly psp_code: string | null;

  @Text({ description: 'Names the capture at its PSP, and never changes.' })
  readonly entity_key: string;

  @Time()
  readonly created_at: string;

  @Time({ nullable: true, description: 'When its outcome was known.' })
  readonly decided_at: string | null;
}

/** The captures of a payment among its operations, the newest first. */
export function captureViewsOf(
  { id }: Pick<Payment, 'id'>,
  histories: ReadonlyMap<string, OperationHistory>,
): CaptureView[] {
  return [...histories.values()]
    .filter(({ routes }) => routes[0]!.request.operation === 'capture')
    .map(({ entityKey: name, routes }) => captureViewOf(id, name, routes.at(-1)!, routes[0]!))
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at));
}

/** Its last route says what became of it: one that could not be sent is asked for again by another. */
function captureViewOf(
  paymentId: string,
  name: string,
  last: RouteHistory,
  { request: { openedAt } }: RouteHistory,
): CaptureView {
  const { request, attempts } = last;
  const unnamed = entityKey.capture(paymentId, null);
  return {
    object: 'capture',
    payment_id: paymentId,
    reference: name === unnamed ? null : name.slice(unnamed.length + 1),
    status: statusOf(last),
    amount: request.amount,
    currency: request.currency,
    psp: request.psp,
    psp_reference: request.pspReference,
    psp_code: attempts.findLast(({ outcome }) => outcome !== null)?.pspCode ?? null,
    entity_key: name,
    created_at: openedAt.toISOString(),
    decided_at: request.decidedAt?.toISOString() ?? null,
  };
}

function statusOf(last: RouteHistory): CaptureStatus {
  if (last.request.verdict === 'open') return 'processing';
  return last.request.verdict === 'effective' && !cameBack(last) ? 'captured' : 'failed';
}
