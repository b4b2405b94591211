import type pg from 'pg';
import { type Clock, type Ids } from '../kernel/index.js';
import { type Story } from './queued-job.js';
import { type JobArgs } from './staged-job.entity.js';

/**
 * Causes of our own; every other one is the code of the FinalError that a handler threw.
 *
 * - `exhausted`     it failed at every step of its ladder
 * - `stalled`       it was in hand three times when its process ended or froze
 * - `kind_unknown`  no room of this version knows how to run it
 */
export type DeadCause = 'exhausted' | 'stalled' | 'kind_unknown' | (string & {});

export interface Burial {
  readonly kind: string;
  readonly jobId: string;
  readonly args: JobArgs;
  readonly cause: DeadCause;
  readonly story: Story;
}

/** Writes down the jobs that were given up. */
export class DeadLetterWriter {
  constructor(
    private readonly pool: Pick<pg.Pool, 'query'>,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** One row for a job, however often it died: the last death counts, and the first try. */
  async bury({ kind, jobId, args, cause, story }: Burial): Promise<void> {
    await this.pool.query(
      `INSERT INTO dead_letters AS d
              (id, kind, job_id, args, cause, error, tries, first_tried_at, died_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT ON CONSTRAINT dead_letters_job DO UPDATE
          SET args = EXCLUDED.args, cause = EXCLUDED.cause, error = EXCLUDED.error,
              tries = GREATEST(d.tries, EXCLUDED.tries),
              first_tried_at = LEAST(d.first_tried_at, EXCLUDED.first_tried_at),
              died_at = EXCLUDED.died_at`,
      [
        this.ids.uuid(),
        kind,
        jobId,
        args,
        cause,
        story.lastError,
        story.tries,
        story.firstTriedAt,
        this.clock.now(),
      ],
    );
  }
}
