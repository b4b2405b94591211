import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type JobArgs } from './staged-job.entity.js';

/** A job that was given up, until an operator sends it back or throws it away. */
@Entity('dead_letters')
export class DeadLetter {
  @PrimaryColumn('uuid')
  id: string;

  /** Which handler ran it. */
  @Column('text')
  kind: string;

  /** What the queue knew it by. */
  @Column('text')
  jobId: string;

  /** Ids, never truth. */
  @Column('jsonb')
  args: JobArgs;

  /** A code that operators group by: `route_unknown`. */
  @Column('text')
  cause: string;

  /** The last error in words, redacted and cut. */
  @Column('text')
  error: string;

  /** How often it was tried in all. */
  @Column('integer')
  tries: number;

  @Column('timestamptz')
  firstTriedAt: Date;

  /** When it was given up last. In ms, by the clock of the service: pages are ordered by it. */
  @Column('timestamptz')
  diedAt: Date;
}
