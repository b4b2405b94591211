import { ApiSchema } from '@nestjs/swagger';
import { problemCatalogue } from '../core/problem.js';
import { Field, Id, OneOf, Text, WholeNumber } from './view-fields.js';

@ApiSchema({ name: 'ProblemField' })
class ProblemFieldView {
  @Text({ description: 'RFC 6901, into the body; for a query, the name of the parameter.' })
  readonly pointer: string;

  @Text()
  readonly message: string;
}

/** Other members may follow. */
const schema = { name: 'Problem', description: 'RFC 9457.', additionalProperties: true };

@ApiSchema(schema)
export class ProblemView {
  @Text({ format: 'uri' })
  readonly type: string;

  @Text({ description: 'The same text for each code.' })
  readonly title: string;

  @WholeNumber()
  readonly status: number;

  @Text({ description: 'Explains this occurrence. Never repeats the request.' })
  readonly detail: string;

  @OneOf(Object.keys(problemCatalogue), { description: 'For programs. Its page is `/docs/problems/<code>`.' })
  readonly code: string;

  @Id({
    required: false,
    description:
      'Absent in a replayed answer, which is the same to the byte each time; see the header Request-Id.',
  })
  readonly request_id?: string;

  @Id({ required: false, description: 'For `refund_exists` and `refund_reversed`: the existing refund.' })
  readonly refund_id?: string;

  @Id({
    required: false,
    description:
      'For `probable_duplicate`: the existing payment. For `idempotency_key_reused`: the payment of the request that the key was used for.',
  })
  readonly payment_id?: string;

  @Id({
    required: false,
    nullable: true,
    description:
      'For `payout_in_progress`: the payout to wait for. For `payout_sequence_stale`: the last one that ended, null where there is none. For `idempotency_key_reused`: the payout of the request that the key was used for.',
  })
  readonly payout_id?: string | null;

  @Text({
    required: false,
    description:
      'For `payout_limit_exceeded`: the limit of a day that the payout ran into, such as `merchant_amount`, `recipient_count` or `currency`.',
  })
  readonly limit?: string;

  @Field({
    type: ProblemFieldView,
    isArray: true,
    required: false,
    maxItems: 20,
    description: 'For `validation_failed`, `card_number_refused` and `webhook_target_refused`.',
  })
  readonly errors?: readonly ProblemFieldView[];
}
