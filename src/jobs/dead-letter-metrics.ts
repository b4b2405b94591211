import { Gauge, type Registry } from 'prom-client';
import { type DeadLetterCount } from './dead-letters.js';

/**
 * Figures to alert on (docs/runbooks/dead-letters.md), looked up when the metrics are read. Where there
 * are no letters of a kind, there is no figure of it either.
 */
export function registerDeadLetterMetrics(
  letters: { counts(): Promise<readonly DeadLetterCount[]> },
  metrics: Registry,
): void {
  metrics.registerMetric(
    new Gauge({
      name: 'payonce_dead_letters',
      help: 'Jobs that were given up and wait for an operator (docs/runbooks/dead-letters.md).',
      labelNames: ['kind', 'cause'],
      registers: [],
      async collect() {
        const counts = await letters.counts();
        // A group that is gone must not go on being told.
        this.reset();
        for (const { kind, cause, count } of counts) this.set({ kind, cause }, count);
      },
    }),
  );
  metrics.registerMetric(
    new Gauge({
      name: 'payonce_dead_letters_oldest_age_seconds',
      help: 'For how long the oldest of them has waited.',
      labelNames: ['kind'],
      registers: [],
      async collect() {
        const oldest = new Map<string, number>();
        for (const { kind, oldestAgeS } of await letters.counts()) {
          oldest.set(kind, Math.max(oldest.get(kind) ?? 0, oldestAgeS));
        }
        this.reset();
        for (const [kind, ageS] of oldest) this.set({ kind }, ageS);
      },
    }),
  );
}
