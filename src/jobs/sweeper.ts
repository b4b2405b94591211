import type pg from 'pg';
import { type Logger } from 'pino';
import { type JobKind } from './job-kind.js';
import { type RetryPolicy } from './retry-policy.js';
import { entryOf, type Queues } from './queues.js';
import { type JobArgs } from './staged-job.entity.js';
import { jobIdOf } from './staged-jobs.js';

interface SweeperOptions {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly queues: Queues;
  readonly kinds: ReadonlyMap<string, JobKind>;
  readonly retryPolicies: ReadonlyMap<string, RetryPolicy>;
  readonly logger: Logger;
}

interface SweepReport {
  /** Jobs that the queue was given, most of which it had already. */
  readonly added: number;
  readonly failed: number;
}

const BATCH = 500;
/** The most that is looked at of a kind in one sweep. */
const MAX_DUE = 16_000;
const LOOKS_AT_ONCE = 50;

interface Due {
  readonly jobId: string;
  readonly args: JobArgs;
}

/**
 * Puts back into the queue what the tables say is due, so that a queue that lost its memory is full again
 * after one sweep. Left alone is what is staged (it is on its way), dead (a person decides) or waiting
 * in a later tier.
 */
export class Sweeper {
  constructor(private readonly options: SweeperOptions) {}

  /** One pass over all kinds. A kind that fails does not hold up the others. */
  async runOnce(): Promise<SweepReport> {
    let [added, failed] = [0, 0];
    for (const kind of this.options.kinds.values()) {
      try {
        added += await this.sweep(kind);
      } catch (error) {
        failed += 1;
        this.options.logger.warn({ kind: kind.name, err: error }, 'due jobs were not looked for');
      }
    }
    return { added, failed };
  }

  private async sweep(kind: JobKind): Promise<number> {
    const seen = new Set<string>();
    let added = 0;
    // Jobs that are dead or wait stay due, and may fill the first page: then the next one is four times as long.
    for (let limit = BATCH; limit <= MAX_DUE; limit *= 4) {
      const due = await kind.due(limit);
      const fresh = due
        .map((args) => ({ args, jobId: jobIdOf(kind, args) }))
        .filter(({ jobId }) => !seen.has(jobId) && seen.add(jobId));
      for (let from = 0; from < fresh.length; from += BATCH) {
        added += await this.add(kind, fresh.slice(from, from + BATCH));
      }
      if (due.length < limit) break;
    }
    return added;
  }

  private async add(kind: JobKind, due: readonly Due[]): Promise<number> {
    const known = await this.known(kind, due);
    const lost = await this.notWaiting(
      kind,
      due.filter(({ jobId }) => !known.has(jobId)),
    );
    if (lost.length === 0) return 0;
    const entries = lost.map(({ jobId, args }) =>
      entryOf(kind.name, jobId, { args, level: 0, story: null }, 0),
    );
    const [first] = this.options.retryPolicies.get(kind.retryPolicy)!.tiers;
    await this.options.queues.use(first!.queue, 'a sweep', (queue) => queue.addBulk(entries));
    return entries.length;
  }

  /** Ids that are staged or dead. */
  private async known(kind: JobKind, due: readonly Due[]): Promise<Set<string>> {
    const { rows } = await this.options.pool.query<{ jobId: string }>(
      `SELECT job_id AS "jobId" FROM dead_letters WHERE kind = $1 AND job_id = ANY($2)
       UNION SELECT job_id FROM staged_jobs WHERE kind = $1 AND job_id = ANY($2)`,
      [kind.name, due.map(({ jobId }) => jobId)],
    );
    return new Set(rows.map(({ jobId }) => jobId));
  }

  /** Without those that wait for another try. The first queue needs no look: it ignores what it has. */
  private async notWaiting(kind: JobKind, due: readonly Due[]): Promise<readonly Due[]> {
    const [first, ...later] = this.options.retryPolicies.get(kind.retryPolicy)!.tiers;
    const queues = new Set(later.map(({ queue }) => queue));
    queues.delete(first!.queue);
    let left = due;
    for (const name of queues) {
      if (left.length === 0) break;
      left = await this.options.queues.use(name, 'a sweep', async (queue) => {
        const counts = await queue.getJobCounts('waiting', 'delayed', 'active');
        // After a loss of memory there is nothing to look through.
        if (Object.values(counts).every((count) => count === 0)) return left;
        const absent: Due[] = [];
        for (let from = 0; from < left.length; from += LOOKS_AT_ONCE) {
          const those = left.slice(from, from + LOOKS_AT_ONCE);
          const states = await Promise.all(those.map(({ jobId }) => queue.getJobState(jobId)));
          absent.push(...those.filter((_, n) => states[n] === 'unknown'));
        }
        return absent;
      });
    }
    return left;
  }
}
