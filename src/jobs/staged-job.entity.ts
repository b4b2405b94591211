import { EntitySchema } from 'typeorm';
import { tableOf } from '../core/table.js';
import { STAGED_CHANNEL } from '../database/commit/waker.js';

/** A job on its way to the queue. */
export interface StagedJob {
  id: string;
  /** Which handler runs it. */
  kind: string;
  /** What the queue knows it by. */
  jobId: string;
  /** Ids, never truth: the handler reads the tables. */
  args: JobArgs;
  /** What was tried before, where it comes back from the dead letters. */
  story: Record<string, unknown> | null;
  notBefore: Date | null;
  stagedAt: Date;
}

export type JobArgs = Readonly<Record<string, string | number | boolean | null>>;

export const StagedJobEntity = new EntitySchema<StagedJob>({
  name: 'StagedJob',
  tableName: 'staged_jobs',
  columns: {
    id: { type: 'uuid', primary: true },
    kind: { type: 'text' },
    jobId: { type: 'text', name: 'job_id' },
    args: { type: 'jsonb' },
    story: { type: 'jsonb', nullable: true },
    notBefore: { type: 'timestamptz', name: 'not_before', nullable: true },
    stagedAt: { type: 'timestamptz', name: 'staged_at' },
  },
});

export const stagedJobs = tableOf(StagedJobEntity, { wakes: STAGED_CHANNEL });
