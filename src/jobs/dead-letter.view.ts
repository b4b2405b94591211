import { type DeadLetter } from './dead-letter.entity.js';
import { type DeadLetterCount } from './dead-letters.js';
import { type JobArgs } from './staged-job.entity.js';

/** A dead letter as it is shown. Times are RFC 3339. */
export interface DeadLetterView {
  readonly id: string;
  readonly kind: string;
  readonly job_id: string;
  readonly args: JobArgs;
  readonly cause: string;
  readonly error: string;
  readonly tries: number;
  readonly first_tried_at: string;
  readonly died_at: string;
}

/** Letters of one kind and cause, as they are shown. */
export interface DeadLetterCountView {
  readonly kind: string;
  readonly cause: string;
  readonly count: number;
  readonly oldest_died_at: string;
  /** Whole seconds. */
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
