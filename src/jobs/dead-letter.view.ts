import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type DeadLetter } from './dead-letter.entity.js';
import { CODE, type DeadLetterCount } from './dead-letters.js';
import { type JobArgs } from './staged-job.entity.js';

const kind = {
  maxLength: 100,
  pattern: CODE,
  description: 'The kind of job, as noun and verb: `webhook.apply`.',
};
const cause = {
  maxLength: 100,
  pattern: CODE,
  description: 'Why it was given up: a code that the handler of the kind gave.',
};

/** A dead letter as it is shown. Times are RFC 3339. */
@ApiSchema({ name: 'DeadLetter', description: 'A job that failed for good.' })
export class DeadLetterView {
  @ApiProperty({ format: 'uuid' })
  readonly id: string;

  @ApiProperty(kind)
  readonly kind: string;

  @ApiProperty({ description: 'The id of the job in the queue.' })
  readonly job_id: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    description: 'The arguments of the job: ids.',
  })
  readonly args: JobArgs;

  @ApiProperty(cause)
  readonly cause: string;

  @ApiProperty({ description: 'The text of the last error, for people to read. Do not program against it.' })
  readonly error: string;

  @ApiProperty({ type: 'integer', minimum: 1 })
  readonly tries: number;

  @ApiProperty({ format: 'date-time' })
  readonly first_tried_at: string;

  @ApiProperty({ format: 'date-time' })
  readonly died_at: string;
}

/** Letters of one kind and cause, as they are shown. */
@ApiSchema({ name: 'DeadLetterCount' })
export class DeadLetterCountView {
  @ApiProperty(kind)
  readonly kind: string;

  @ApiProperty(cause)
  readonly cause: string;

  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly count: number;

  @ApiProperty({ format: 'date-time' })
  readonly oldest_died_at: string;

  /** Whole seconds. */
  @ApiProperty({ type: 'integer', minimum: 0 })
  readonly oldest_age_seconds: number;
}

export function deadLetterView(letter: DeadLetter): DeadLetterView {
  const { id, kind, jobId, args, cause, error, tries, firstTriedAt, diedAt } = letter;
  return {
    id,
    kind,
    job_id: jobId,
    args,
    cause,
    error,
    tries,
    first_tried_at: firstTriedAt.toISOString(),
    died_at: diedAt.toISOString(),
  };
}

export function deadLetterCountView(group: DeadLetterCount): DeadLetterCountView {
  const { kind, cause, count, oldestDiedAt, oldestAgeS } = group;
  return {
    kind,
    cause,
    count,
    oldest_died_at: oldestDiedAt.toISOString(),
    oldest_age_seconds: Math.floor(oldestAgeS),
  };
}
