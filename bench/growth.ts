import { type Client } from 'pg';
import { type Contender } from './contenders.js';
import { median, percentile, type Sample } from './measure.js';
import { type Options } from './options.js';
import { PATH, paymentBody } from './payment.js';
import { type Stage } from './stage.js';

/**
 * `npm run bench -- --growth 1000000`: what a payment and a read cost once so many payments are stored. The
 * payments are copies of one that the service made, with ids, keys and times of their own, written by one
 * statement a table.
 */

/** What a payment leaves in the database. */
const TABLES = [
  'payments',
  'idempotency_keys',
  'psp_requests',
  'psp_attempts',
  'payment_transitions',
  'audit_records',
  'events',
];
const CHUNK = 200_000;
const READS = 300;
const IN_FLIGHT = 64;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isUnique: boolean;
}

export interface Grown {
  readonly stored: number;
  readonly fillS: number;
  readonly databaseMb: number;
  readonly payments: Sample;
  /** p50 and p99 of each kind of read, in ms. */
  readonly reads: Readonly<Record<string, readonly [number, number]>>;
}

export async function benchGrowth(
  stage: Stage,
  { growth, rounds, seconds }: Options,
  say: (...lines: readonly string[]) => void,
): Promise<Grown[]> {
  const service = stage.contenders.find(({ name }) => name === 'service')!;
  const { client } = stage.database;
  const grown: Grown[] = [];
  let stored = 0;
  for (const size of [0, ...growth]) {
    const fromMs = performance.now();
    if (size > stored) await fill(client, service.merchantId, stored, size);
    stored = Math.max(size, stored);
    const fillS = (performance.now() - fromMs) / 1_000;
    if (size > 0) await client.query('VACUUM (ANALYZE)');
    // Pages that filling left to be written are no cost of the payments after it.
    await client.query('CHECKPOINT');
    const payments = await paid(service, rounds, seconds);
    const { rows } = await client.query<{ mb: number }>(
      'SELECT (pg_database_size(current_database()) / 1e6)::float8 AS mb',
    );
    const reads = await readsOf(client, stage.reached('service'), service.merchantId);
    grown.push({ stored, fillS, databaseMb: rows[0]!.mb, payments, reads });
    say(...linesOf(grown.at(-1)!));
  }
  return grown;
}

/** The median round by its CPU time. */
async function paid(service: Contender, rounds: number, seconds: number): Promise<Sample> {
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    samples.push(await service.run(IN_FLIGHT, { warmMs: 500, windowMs: seconds * 1_000 }));
  }
  const cpuOf = ({ cpuMsPerPayment }: Sample) =>
    Object.values(cpuMsPerPayment).reduce<number>((a, b) => a + (b ?? 0), 0);
  const middle = median(samples.map(cpuOf));
  return samples.toSorted((a, b) => Math.abs(cpuOf(a) - middle) - Math.abs(cpuOf(b) - middle))[0]!;
}

async function fill(client: Client, merchantId: string, from: number, to: number): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT id FROM payments WHERE merchant_id = $1 AND status = 'captured' ORDER BY id LIMIT 1`,
    [merchantId],
  );
  const template = rows[0]!.id;
  // Triggers guard what applications write; these rows are copies of such.
  await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
  try {
    for (const table of TABLES) {
      const copy = await copyOf(client, table, merchantId, template);
      for (let at = from; at < to; at += CHUNK) await client.query(copy, [at, Math.min(at + CHUNK, to) - 1]);
      await client.query(`DROP TABLE copied_${table}`);
    }
  } finally {
    await client.query('RESET session_replication_role; RESET synchronous_commit');
  }
}

/** The statement that writes copies $1 to $2 of what a payment left in a table. */
async function copyOf(client: Client, table: string, merchantId: string, template: string): Promise<string> {
  const { rows: columns } = await client.query<Column>(
    `SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type,
            EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique
                       AND a.attnum = ANY (i.indkey::int2[])) AS "isUnique"
       FROM pg_attribute a
      WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''`,
    [table],
  );
  const values = columns.map((column) => valueOf(column, template));
  const is = table === 'payments' ? `id = '${template}'` : `t::text LIKE '%${template}%'`;
  // The rows are looked for once: among the copies of each chunk before, the next would take longer and longer.
  await client.query(
    `CREATE TEMP TABLE copied_${table} ON COMMIT PRESERVE ROWS AS
       SELECT * FROM ${table} t WHERE t.merchant_id = '${merchantId}' AND ${is}`,
  );
  return `INSERT INTO ${table} (${columns.map(({ name }) => name).join(', ')})
          SELECT ${values.join(', ')} FROM copied_${table} t, generate_series($1::bigint, $2::bigint) n`;
}

function valueOf({ name, type, isUnique }: Column, template: string): string {
  const ofThis = `('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))`;
  const numbered = `left(t.${name}::text, greatest(length(t.${name}::text) - 12, 0)) || lpad(n::text, 12, '0')`;
  switch (type) {
    case 'uuid':
      return isUnique && name !== 'merchant_id'
        ? `CASE WHEN t.${name} = '${template}' THEN ${ofThis} ELSE ${numbered} END::uuid`
        : `CASE WHEN t.${name} = '${template}' THEN ${ofThis}::uuid ELSE t.${name} END`;
    case 'timestamp with time zone':
      return `t.${name} - n * interval '1 ms'`;
    case 'text':
      return isUnique || name === 'reference'
        ? `CASE WHEN t.${name} LIKE '%${template}%' THEN replace(t.${name}, '${template}', ${ofThis}) ELSE ${numbered} END`
        : `replace(t.${name}, '${template}', ${ofThis})`;
    case 'json':
    case 'jsonb':
      return `replace(t.${name}::text, '${template}', ${ofThis})::${type}`;
    default:
      return `t.${name}`;
  }
}

async function readsOf(
  client: Client,
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  merchantId: string,
): Promise<Grown['reads']> {
  const { rows } = await client.query<{ id: string; reference: string }>(
    `SELECT id, reference FROM payments WHERE merchant_id = $1 AND status = 'captured' ORDER BY id DESC LIMIT 1`,
    [merchantId],
  );
  const { id, reference } = rows[0]!;
  const body = JSON.stringify(paymentBody(reference));
  const requests: Record<string, readonly [path: string, body?: string]> = {
    // The load generator's keys are its references.
    'a replay': [PATH, body],
    'a payment': [`${PATH}/${id}`],
    'its attempts': [`${PATH}/${id}/attempts`],
    'by reference': [`${PATH}?reference=${reference}`],
    'a page of payments': [`${PATH}?limit=100`],
    'a page of events': ['/v1/events?limit=100'],
  };
  const reads: Record<string, readonly [number, number]> = {};
  for (const [name, [path, sent]] of Object.entries(requests)) {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${apiKey}`,
      'idempotency-key': reference,
    };
    const init = sent === undefined ? { headers } : { method: 'POST', body: sent, headers };
    const tookMs: number[] = [];
    for (let n = 0; n < READS; n++) {
      const fromMs = performance.now();
      const answer = await fetch(url + path, init);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`);
      tookMs.push(performance.now() - fromMs);
    }
    reads[name] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)];
  }
  return reads;
}

function linesOf({ stored, fillS, databaseMb, payments, reads }: Grown): string[] {
  const { cpuMsPerPayment: cpu, paymentsPerSecond, p99Ms } = payments;
  const ms = (value: number | null | undefined) => (typeof value === 'number' ? value.toFixed(2) : '-');
  return [
    `${stored.toLocaleString('en')} payments stored (${databaseMb.toFixed(0)} MB, filled in ${fillS.toFixed(0)} s)`,
    `  ${paymentsPerSecond.toFixed(0)} payments a second, p99 ${p99Ms.toFixed(0)} ms, CPU ms: service ${ms(cpu.service)}, Postgres ${ms(cpu.postgres)}`,
    ...Object.entries(reads).map(
      ([name, [p50, p99]]) => `  ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    ),
  ];
}
