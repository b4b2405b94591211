import { type Pool } from 'pg';
import { type Registry } from 'prom-client';
import { type Clock } from '../core/clock.js';
import { registerLookedUp } from '../core/looked-up-gauge.js';

interface Row {
  readonly psp: string;
  readonly value: number;
}

/** `$1` now. A file waits until it is at the bank; one in conflict waits for a person. */
const UNSENT = `
SELECT psp, extract(epoch FROM $1::timestamptz - min(formed_at))::float8 AS value FROM bank_batches WHERE state <> 'sent' GROUP BY psp`;

/** `$1` now. Of the last week, where no file of that name was read afterwards, as half of a file is once it is whole. */
const REFUSED = `
SELECT psp, count(DISTINCT name)::int AS value FROM bank_files f
 WHERE state = 'refused' AND received_at > $1::timestamptz - interval '7 days' AND NOT EXISTS (
   SELECT FROM bank_files r
    WHERE r.psp = f.psp AND r.name = f.name AND r.state = 'read' AND r.received_at >= f.received_at)
 GROUP BY psp`;

/** Figures to alert on, looked up when the metrics are read. An account without such files has none. */
export function registerBankMetrics(
  metrics: Registry,
  pool: Pick<Pool, 'query'>,
  clock: Pick<Clock, 'now'>,
): void {
  const figure = (name: string, help: string, sql: string) =>
    registerLookedUp(metrics, {
      name,
      help,
      labels: ['psp'],
      look: async () => {
        const { rows } = await pool.query<Row>(sql, [clock.now()]);
        return rows.map(({ psp, value }) => ({ value, labels: { psp } }));
      },
    });
  figure(
    'payonce_bank_file_unsent_seconds',
    'How long the oldest file that was made for a bank and is not there yet has waited (npx payonce bank batches)',
    UNSENT,
  );
  figure(
    'payonce_bank_files_refused',
    'Files of a bank in the last 7 days that could not be read (npx payonce bank files)',
    REFUSED,
  );
}
