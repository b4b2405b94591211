import type pg from 'pg';
import { Counter, type Registry } from 'prom-client';
import { type Figure, registerLookedUp } from '../core/looked-up-gauge.js';
import { type Outcome } from './job-runner.js';
import { type Queues } from './queues.js';
import { type Schedules } from './schedules.js';

interface JobMetricsOptions {
  readonly metrics: Registry;
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly queues: Queues;
  readonly queueNames: readonly string[];
  readonly schedules: Schedules;
}

const STATES = ['waiting', 'delayed', 'active'] as const;

/** The metrics of jobs. */
export class JobMetrics {
  private readonly outcomes: Counter<'kind' | 'outcome'>;

  constructor(metrics: Registry) {
    this.outcomes = new Counter({
      name: 'payonce_jobs_total',
      help: 'Runs of jobs by what became of them: done, retried (a step up), dead, postponed (an outage)',
      labelNames: ['kind', 'outcome'],
      registers: [metrics],
    });
  }

  count(kind: string, outcome: Outcome): void {
    this.outcomes.inc({ kind, outcome });
  }

  /** Figures that are looked up when the metrics are read. */
  register({ metrics, pool, queues, queueNames, schedules }: JobMetricsOptions): void {
    const staged = async (figure: string) => {
      const { rows } = await pool.query<Figure>(`SELECT (${figure})::float8 AS value FROM staged_jobs`);
      return rows;
    };
    registerLookedUp(metrics, {
      name: 'payonce_jobs_staged',
      help: 'Jobs that the queue was not given yet',
      look: () => staged('count(*)'),
    });
    registerLookedUp(metrics, {
      name: 'payonce_jobs_staged_oldest_seconds',
      help: 'How long the oldest of them waits; 0: none',
      look: () => staged('coalesce(extract(epoch FROM clock_timestamp() - min(staged_at)), 0)'),
    });
    registerLookedUp(metrics, {
      name: 'payonce_jobs_queued',
      help: 'Jobs by queue and state',
      labels: ['queue', 'state'],
      look: () => queued(queues, queueNames),
    });
    registerLookedUp(metrics, {
      name: 'payonce_schedule_lag_seconds',
      help: 'How late each periodic task is: since its last end, less its interval',
      labels: ['chore'],
      look: async () =>
        [...(await schedules.lags())].map(([task, value]) => ({ value, labels: { chore: task } })),
    });
  }
}

async function queued(queues: Queues, names: readonly string[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const queue of names) {
    const counts = await queues.use(queue, 'counting', (q) => q.getJobCounts(...STATES));
    for (const state of STATES) figures.push({ value: counts[state] ?? 0, labels: { queue, state } });
  }
  return figures;
}
