import { Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { type Change, insert } from '../core/change.js';
import { type Table, tableOf } from '../core/table.js';
import { traceparent } from '../core/tracing.js';
import { STAGED_CHANNEL } from '../database/commit/waker.js';
import { Ids } from '../core/ids.js';
import { type JobKind } from './job-kind.js';
import { type JobArgs, type StagedJob } from './staged-job.entity.js';

export const stagedJobs: Table<StagedJob> = tableOf('staged_jobs', ['id'], { wakes: STAGED_CHANNEL });

/** Whatever runs SQL inside the caller's transaction: a client of pg, or a query runner of TypeORM. */
interface Transaction {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

interface Staging {
  /** Not before this time; absent: at once. */
  readonly notBefore?: Date;
  /** The earlier tries. */
  readonly story?: Record<string, unknown>;
}

/** A job by the names that the queue knows it by, for callers that do not have its kind. */
export interface NamedJob {
  readonly kind: string;
  /** The id that `jobIdOf` made. */
  readonly jobId: string;
  readonly args: JobArgs;
  readonly story: Readonly<Record<string, unknown>> | null;
}

/**
 * Stages jobs: they are handed to the queue once, and only if, what they belong to is committed. Two
 * ways for two ways to write: as a change beside the changes of a decision, or inside a transaction.
 */
@Injectable()
export class StagedJobs {
  constructor(
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** A job as a change of a commit. Never the first one, which is the gate. */
  change<Args extends JobArgs>(kind: JobKind<Args>, args: Args, staging: Staging = {}): Change {
    return insert(stagedJobs, this.row(kind, args, staging));
  }

  /** Adds a job in the caller's transaction; the relay is woken when that commits. */
  async add<Args extends JobArgs>(
    tx: Transaction,
    kind: JobKind<Args>,
    args: Args,
    staging: Staging = {},
  ): Promise<void> {
    const { id, jobId, story, notBefore, stagedAt } = this.row(kind, args, staging);
    await tx.query(
      `WITH staged AS (
         INSERT INTO staged_jobs (id, kind, job_id, args, story, not_before, staged_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7))
       SELECT pg_notify($8, '')`,
      [id, kind.name, jobId, args, story, notBefore, stagedAt, STAGED_CHANNEL],
    );
  }

  /** Adds jobs that are due at once, all in one statement, in the caller's transaction; else as `add`. */
  async addNamed(tx: Transaction, jobs: readonly NamedJob[]): Promise<void> {
    const rows = jobs.map(({ kind, jobId, args, story }) => ({
      id: this.ids.uuid(),
      kind,
      job_id: jobId,
      args,
      story,
    }));
    await tx.query(
      `WITH staged AS (
         INSERT INTO staged_jobs (id, kind, job_id, args, story, staged_at)
         SELECT id, kind, job_id, args, story, $2
           FROM jsonb_to_recordset($1::jsonb) AS j (id uuid, kind text, job_id text, args jsonb, story jsonb))
       SELECT pg_notify($3, '')`,
      [JSON.stringify(rows), this.clock.now(), STAGED_CHANNEL],
    );
  }

  private row<Args extends JobArgs>(
    kind: JobKind<Args>,
    args: Args,
    { notBefore, story }: Staging,
  ): StagedJob {
    return {
      id: this.ids.uuid(),
      kind: kind.name,
      jobId: jobIdOf(kind, args),
      args: traced(args),
      story: story ?? null,
      notBefore: notBefore ?? null,
      stagedAt: this.clock.now(),
    };
  }
}

/** With the trace that it goes on in, where there is one. */
function traced(args: JobArgs): JobArgs {
  const from = traceparent();
  return from === null ? args : { ...args, traceparent: from };
}

/** Kinds have names of their own, so that ids of two kinds never meet. */
export function jobIdOf<Args extends JobArgs>(kind: JobKind<Args>, args: Args): string {
  return `${kind.name}.${kind.idOf(args)}`;
}
