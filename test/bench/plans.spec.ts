import { Client } from 'pg';
import { recordCharge } from '../../bench/charge-statements.js';
import { FIRST_REPLAN, Lane } from '../../src/database/commit/lane.js';
import { type Shape } from '../../src/database/commit/commit-statement-text.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

/**
 * A prepared statement keeps the plan of the moment it was prepared, and that may have been while
 * its tables were empty. What is prepared here on empty tables is looked at when they are full.
 */
const merchantId = '01900000-0000-7000-8000-000000000001';
const ROWS = 50_000;

/** Postgres looks at the parameters of the first five executions before it settles for one plan. */
const UNTIL_GENERIC = 8;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

let database: FreshDatabase;
let client: Client;
/** The two statements of a charge as they are at first, and as they are when the store has seen some. */
let shapes: Shape[];
let lane: Lane;

/** One without the planner settings of a lane. */
let plain: Client;

const nothing = ({ parameters }: Shape) => [...parameters.map(() => '{}'), '{}'];
const nameOf = (index: number) => `plan_${index}`;

beforeAll(async () => {
  database = await freshDatabase();
  client = new Client({ connectionString: database.url });
  plain = new Client({ connectionString: database.serviceUrl });
  await Promise.all([client.connect(), plain.connect()]);
  lane = new Lane(database.serviceUrl, 'plans-spec');
  const commits = await recordCharge(merchantId);
  shapes = [...commits.map(({ statement }) => statement.plain), ...commits.map(({ shape }) => shape)];

  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_stat_user_tables WHERE schemaname = 'public' AND relname NOT LIKE 'schema_%'`,
  );
  // Statistics would make the plans anew, some time; they are not to be relied upon.
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
  for (const [index, shape] of shapes.entries()) {
    await lane.run(nameOf(index), shape.many, nothing(shape));
    for (let times = 0; times < UNTIL_GENERIC; times++) {
      await plain.query({ name: nameOf(index), text: shape.many, values: nothing(shape) });
    }
  }
  await fill();
});

afterAll(async () => {
  await Promise.all([lane.close(), client.end(), plain.end()]);
  await database.drop();
});

/** Charges of one merchant that are all still under way. */
async function fill(): Promise<void> {
  await client.query('SET synchronous_commit = off');
  const id = `('01900000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  const entityKey = `'payment-' || ${id} || '-charge'`;
  const from = `FROM generate_series(1, ${ROWS}) n`;
  const columns = {
    idempotency_keys: `(merchant_id, key, operation, fingerprint, params, recovery_point, lock_token, created_at)
      SELECT '${merchantId}', 'key-' || n, 'o', 'f', '{}', 'accepted', ${id}, now() ${from}`,
    payments: `(merchant_id, id, version, reference, status, capture_mode, amount, amount_captured, amount_refunded,
        currency, metadata, candidates, created_at, updated_at)
      SELECT '${merchantId}', ${id}, 1, 'r', 'processing', 'automatic', 1, 0, 0, 'USD', '{}', '[]', now(), now() ${from}`,
    psp_requests: `(merchant_id, entity_key, route, operation, payment_id, psp, amount, currency, psp_idempotency_key,
        verdict, next_step_at, fence, opened_at)
      SELECT '${merchantId}', ${entityKey}, 1, 'charge', ${id}, 'stripe', 1, 'USD', n, 'open', now(), 1, now() ${from}`,
    psp_attempts: `(merchant_id, entity_key, route, attempt, kind, trace_id, request, started_at)
      SELECT '${merchantId}', ${entityKey}, 1, 1, 'execute', 't', '{}', now() ${from}`,
  };
  for (const [table, rows] of Object.entries(columns)) await client.query(`INSERT INTO ${table} ${rows}`);
}

function explain({ parameters }: Shape, index: number): string {
  const empty = parameters.map(({ type }) => `'{}'::${type}[]`).join(', ');
  return `EXPLAIN (FORMAT JSON) EXECUTE ${nameOf(index)}(${empty}, '{}')`;
}

/** How the tables of a plan are read; what is only written to is not among them. */
function readsOf(explained: unknown): { table: string; how: string; index?: string; by: string }[] {
  const found: ReturnType<typeof readsOf> = [];
  const look = (plan: Plan) => {
    const { 'Relation Name': table, 'Node Type': how, 'Index Name': index, 'Index Cond': by = '' } = plan;
    if (table !== undefined && how !== 'ModifyTable') {
      found.push({ table, how, by, ...(index === undefined ? {} : { index }) });
    }
    plan.Plans?.forEach(look);
  };
  look((explained as [{ Plan: Plan }])[0].Plan);
  return found;
}

async function planned(index: number): Promise<ReturnType<typeof readsOf>> {
  // Of what a lane runs only the first column of the first row is told.
  return readsOf(await lane.run('', explain(shapes[index]!, index), []));
}

it('finds every row of a commit by its whole primary key once its tables have grown', async () => {
  const all = async () => (await Promise.all(shapes.map((_, index) => planned(index)))).flat();
  const before = await all();
  expect(before.map(({ by }) => by)).toContain('');

  for (let runs = 0; runs < FIRST_REPLAN; runs++) await lane.run('', 'SELECT ARRAY[1]', []);
  const reads = await all();
  const tables = ['idempotency_keys', 'payments', 'psp_attempts', 'psp_requests'];
  expect(reads.map(({ table }) => table).toSorted()).toEqual(tables.flatMap((table) => [table, table]));
  for (const { table, how, index, by } of reads) {
    expect({ table, how, index }).toEqual({ table, how: 'Index Scan', index: `${table}_pkey` });
    // Not the merchant's part of it alone, and not from end to end.
    expect(by).toMatch(/ AND /);
  }
});

it('would scan without the planner settings of a lane, and without new plans', async () => {
  const hows = [];
  for (const [index, shape] of shapes.entries()) {
    const { rows } = await plain.query<{ 'QUERY PLAN': unknown }>(explain(shape, index));
    hows.push(...readsOf(rows[0]!['QUERY PLAN']).map(({ how }) => how));
  }
  expect(hows).toContain('Seq Scan');
});
