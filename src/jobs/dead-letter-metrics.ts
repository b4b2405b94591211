import { type Registry } from 'prom-client';
import { registerLookedUp } from '../core/looked-up-gauge.js';
import { type DeadLetterCount } from './dead-letters.js';

/**
 * Figures to alert on (docs/runbooks/dead-letters.md), read at each scrape. Without letters of a kind there is no
 * figure for it.
 */
export function registerDeadLetterMetrics(
  letters: { counts(): Promise<readonly DeadLetterCount[]> },
  metrics: Registry,
): void {
  registerLookedUp(metrics, {
    name: 'payonce_dead_letters',
    help: 'Jobs that were given up and wait for an operator (docs/runbooks/dead-letters.md).',
    labels: ['kind', 'cause'],
    look: async () =>
      (await letters.counts()).map(({ kind, cause, count }) => ({ value: count, labels: { kind, cause } })),
  });
  registerLookedUp(metrics, {
    name: 'payonce_dead_letters_oldest_age_seconds',
    help: 'For how long the oldest of them has waited.',
    labels: ['kind'],
    look: async () => {
      const oldest = new Map<string, number>();
      for (const { kind, oldestAgeS } of await letters.counts()) {
        oldest.set(kind, Math.max(oldest.get(kind) ?? 0, oldestAgeS));
      }
      return [...oldest].map(([kind, value]) => ({ value, labels: { kind } }));
    },
  });
}
