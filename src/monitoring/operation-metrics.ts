import { type Pool } from 'pg';
import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { type Change } from '../core/change.js';
import { VERSION } from '../core/version.js';
import { registerLookedUp } from '../core/looked-up-gauge.js';

/** Objects whose statuses are counted, by table. */
const counted = { payments: 'payment', refunds: 'refund', payouts: 'payout' } as const;

const OPEN_BY_AGE = `
SELECT psp, CASE WHEN opened_at > statement_timestamp() - interval '1 minute' THEN 'under_1m'
                 WHEN opened_at > statement_timestamp() - interval '10 minutes' THEN '1m_to_10m'
                 WHEN opened_at > statement_timestamp() - interval '1 hour' THEN '10m_to_1h'
                 WHEN opened_at > statement_timestamp() - interval '1 day' THEN '1h_to_1d'
                 ELSE 'over_1d' END AS age, count(*)::int AS value
  FROM psp_requests WHERE verdict = 'open' AND next_step_at IS NOT NULL GROUP BY 1, 2`;

/**
 * The build of the process, the statuses of payments, refunds and payouts, and the age of open routes.
 * @returns a listener of commits, which counts
 */
export function registerOperationMetrics(
  metrics: Registry,
  pool: Pick<Pool, 'query'>,
): (changes: readonly Change[]) => void {
  collectDefaultMetrics({ register: metrics });
  const labels = { version: VERSION, node: process.version };
  new Gauge({
    name: 'payonce_build_info',
    help: 'Always 1: the version of Payonce and of Node',
    labelNames: Object.keys(labels),
    registers: [metrics],
  }).set(labels, 1);
  const statuses = new Counter({
    name: 'payonce_status_changes_total',
    help: 'Payments, refunds and payouts that came into a status',
    labelNames: ['object', 'status'],
    registers: [metrics],
  });
  registerLookedUp(metrics, {
    name: 'payonce_routes_open',
    help: 'Routes that are open and will be looked at again, by how long ago they were opened',
    labels: ['psp', 'age'],
    look: async () => {
      const { rows } = await pool.query<{ psp: string; age: string; value: number }>(OPEN_BY_AGE);
      return rows.map(({ psp, age, value }) => ({ value, labels: { psp, age } }));
    },
  });
  return (changes) => {
    for (const change of changes) {
      const object = counted[change.table.name as keyof typeof counted] as string | undefined;
      const status = change.op === 'insert' ? change.row['status'] : change.set['status'];
      if (object !== undefined && typeof status === 'string') statuses.inc({ object, status });
    }
  };
}
