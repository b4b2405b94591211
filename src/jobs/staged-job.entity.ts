import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A job on its way to the queue. */
@Entity('staged_jobs')
export class StagedJob {
  @PrimaryColumn('uuid')
  id: string;

  /** Which handler runs it. */
  @Column('text')
  kind: string;

  /** The id of the job in its queue. */
  @Column('text')
  jobId: string;

  /** Ids, never truth: the handler reads the tables. */
  @Column('jsonb')
  args: JobArgs;

  /** The earlier tries of a job that comes back from the dead letters. */
  @Column('jsonb', { nullable: true })
  story: Record<string, unknown> | null;

  @Column('timestamptz', { nullable: true })
  notBefore: Date | null;

  @Column('timestamptz')
  stagedAt: Date;
}

export type JobArgs = Readonly<Record<string, string | number | boolean | null>>;
