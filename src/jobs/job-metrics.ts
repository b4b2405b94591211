import type pg from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type Outcome } from './job-runner.js';
import { type Queues } from './queues.js';
import { type Schedules } from './schedules.js';

export interface JobMetricsOptions {
  readonly metrics: Registry;
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly queues: Queues;
  readonly queueNames: readonly string[];
  readonly schedules: Schedules;
}

const STATES = ['waiting', 'delayed', 'active'] as const;

/** What an operator sees of jobs. A figure that cannot be had is left out, never shown as it was. */
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
    const gauge = (name: string, help: string, labels: string[], fill: (gauge: Gauge) => Promise<void>) =>
      metrics.registerMetric(
        new Gauge({
          name,
          help,
          labelNames: labels,
          registers: [],
          async collect() {
            this.reset();
            if (labels.length === 0) this.remove();
            await fill(this).catch(() => {});
          },
        }),
      );
    const staged = async (figure: string) => {
      const { rows } = await pool.query<{ figure: number }>(
        `SELECT (${figure})::float8 AS figure FROM staged_jobs`,
      );
      return rows[0]!.figure;
    };
    gauge('payonce_jobs_staged', 'Jobs that the queue was not given yet', [], async (g) =>
      g.set(await staged('count(*)')),
    );
    gauge('payonce_jobs_staged_oldest_seconds', 'How long the oldest of them waits; 0: none', [], async (g) =>
      g.set(await staged(`coalesce(extract(epoch FROM clock_timestamp() - min(staged_at)), 0)`)),
    );
    gauge('payonce_jobs_queued', 'Jobs by queue and state', ['queue', 'state'], async (g) => {
      for (const queue of queueNames) {
        const counts = await queues.use(queue, 'counting', (q) => q.getJobCounts(...STATES));
        for (const state of STATES) g.set({ queue, state }, counts[state] ?? 0);
      }
    });
    gauge(
      'payonce_schedule_lag_seconds',
      'How late each chore is: since its last end, less its interval',
      ['chore'],
      async (g) => {
        for (const [chore, lag] of await schedules.lags()) g.set({ chore }, lag);
      },
    );
  }
}
