import { type Client } from 'pg';
import { type PgbenchScript } from './pgbench.js';
import { PROTOTYPE_TABLES } from './prototype.js';

/** The table in which a contender keeps its payments. */
export type PaymentTable = 'payments' | 'bench_payments' | 'bench_prototype_payments';

/** The least that stores a payment durably: a row inserted before the PSP is called, and updated after it. */
export const INSERT_PLAIN =
  'INSERT INTO bench_payments (id, merchant_id, reference, amount, currency, status) VALUES ($1, $2, $3, $4, $5, $6)';
export const UPDATE_PLAIN =
  'UPDATE bench_payments SET status = $2, psp_reference = $3, updated_at = now() WHERE id = $1';

/** The tables of the contenders that are not the service. */
export async function makeBenchTables(client: Client): Promise<void> {
  await client.query(
    `CREATE TABLE bench_payments (
       id uuid PRIMARY KEY,
       merchant_id uuid NOT NULL,
       reference text NOT NULL,
       amount bigint NOT NULL,
       currency text NOT NULL,
       status text NOT NULL,
       psp_reference text,
       created_at timestamptz NOT NULL DEFAULT now(),
       updated_at timestamptz);
     ${PROTOTYPE_TABLES}`,
  );
}

/** Ids rise as time does, so that new rows stand at the end of the index, as UUIDv7 has it. */
export function plainScript(merchantId: string): PgbenchScript {
  const id = `(:run::text || '-0001-7000-8000-' || lpad(:n::text, 12, '0'))::uuid`;
  const values = [id, `'${merchantId}'`, `'order-1'`, '4990', `'USD'`, `'processing'`];
  const settled = [id, `'captured'`, `'pi_0000000000000000'`];
  const text = [filled(INSERT_PLAIN, values), filled(UPDATE_PLAIN, settled)].join('');
  return { name: 'plain', text, variables: [] };
}

function filled(statement: string, values: readonly string[]): string {
  return `${statement.replace(/\$(\d+)/g, (_, n: string) => values[Number(n) - 1]!)};\n`;
}
