import { Column, Entity, PrimaryColumn } from 'typeorm';
import { type JobArgs } from './staged-job.entity.js';

/** A job that failed for good, until an operator requeues or purges it. */
@Entity('dead_letters')
export class DeadLetter {
  @PrimaryColumn('uuid')
  id: string;

  /** Which handler ran it. */
  @Column('text')
  kind: string;

  /** Its id in the queue. */
  @Column('text')
  jobId: string;

  /** Only ids: tables hold the data. */
  @Column('jsonb')
  args: JobArgs;

  /** A code that operators group by: `route_unknown`. */
  @Column('text')
  cause: string;

  /** The last error in words, redacted and cut. */
  @Column('text')
  error: string;

  /** The number of tries in all. */
  @Column('integer')
  tries: number;

  @Column('timestamptz')
  firstTriedAt: Date;

  /** When it failed for good last, in ms by the clock of the service: pages are ordered by it. */
  @Column('timestamptz')
  diedAt: Date;
}
