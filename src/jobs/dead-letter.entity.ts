import { EntitySchema } from 'typeorm';
import { tableOf } from '../core/table.js';
import { type JobArgs } from './staged-job.entity.js';

/** A job that was given up, until an operator sends it back or throws it away. */
export interface DeadLetter {
  id: string;
  /** Which handler ran it. */
  kind: string;
  /** What the queue knew it by. */
  jobId: string;
  /** Ids, never truth. */
  args: JobArgs;
  /** A code that operators group by: `route_unknown`. */
  cause: string;
  /** The last error in words, redacted and cut. */
  error: string;
  /** How often it was tried in all. */
  tries: number;
  firstTriedAt: Date;
  /** When it was given up last. In ms, as the clock of the house tells it: pages go by it. */
  diedAt: Date;
}

export const DeadLetterEntity = new EntitySchema<DeadLetter>({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  columns: {
    id: { type: 'uuid', primary: true },
    kind: { type: 'text' },
    jobId: { type: 'text', name: 'job_id' },
    args: { type: 'jsonb' },
    cause: { type: 'text' },
    error: { type: 'text' },
    tries: { type: 'integer' },
    firstTriedAt: { type: 'timestamptz', name: 'first_tried_at' },
    diedAt: { type: 'timestamptz', name: 'died_at' },
  },
});

export const deadLetters = tableOf(DeadLetterEntity);
