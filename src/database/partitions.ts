import { escapeLiteral } from 'pg';
import { type QueryRunner } from 'typeorm';
import { uuidv7 } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { sqlState, sqlStateOf } from './sql-state.js';

/**
 * Tables of history that only grow, with the column of their primary key that begins with the time; those that others refer
 * to come first. What decides about money stays whole: its unique indexes do not hold a time.
 */
const DIVIDED = [
  { table: 'events', key: 'id' },
  { table: 'webhook_deliveries', key: 'event_id' },
  { table: 'webhook_delivery_attempts', key: 'event_id' },
  { table: 'payment_transitions', key: 'payment_id' },
] as const;
type Divided = (typeof DIVIDED)[number];

const QUARTERS_A_YEAR = 4;
/** Payments wait behind a lock that is waited for: soon given up, and often tried. */
const LOCK_TIMEOUT_MS = 300;
const MOST_TRIES = 100;

/** A quarter of a year (UTC), counted from year 0. */
const quarterOf = (time: Date) =>
  time.getUTCFullYear() * QUARTERS_A_YEAR + Math.floor(time.getUTCMonth() / 3);
/** The least id of a quarter, as a literal. */
const startOf = (quarter: number) => {
  const time = Date.UTC(Math.floor(quarter / QUARTERS_A_YEAR), (quarter % QUARTERS_A_YEAR) * 3);
  return escapeLiteral(uuidv7(time, Buffer.alloc(10)));
};
const nameOf = (table: string, quarter: number) =>
  `${table}_${Math.floor(quarter / QUARTERS_A_YEAR)}q${(quarter % QUARTERS_A_YEAR) + 1}`;

/**
 * Divides the tables of history by quarters of a year, while payments go on, and makes the partitions of the next `years`.
 * A partition that is there stays; rows that were there before are one partition, up to the end of the next quarter, and rows
 * after the last quarter are in one of their own. May be run again, and goes on where it ended half way.
 * @param runner of the owner of the tables, whose turn it is to migrate
 * @returns the names of the partitions that it made
 * @throws Problem `invalid_state` where rows came after the last quarter: another one would be made while the table is closed
 *   and all of them are read
 */
export async function partitionByTime(runner: QueryRunner, years: number): Promise<string[]> {
  const [{ now }] = (await runner.query('SELECT now() AS now')) as [{ now: Date }];
  const first = quarterOf(now) + 2;
  const made: string[] = [];
  for (const divided of DIVIDED) {
    if (!(await isDivided(runner, divided.table))) {
      await divide(runner, divided, first);
      made.push(`${divided.table}_before`);
    }
    await proveReferences(runner, divided.table);
    const last = await lastQuarterOf(runner, divided.table);
    for (
      let quarter = last === null ? first : last + 1;
      quarter < first + years * QUARTERS_A_YEAR;
      quarter++
    ) {
      await addQuarter(runner, divided.table, quarter);
      made.push(nameOf(divided.table, quarter));
    }
  }
  return made;
}

async function isDivided(runner: QueryRunner, table: string): Promise<boolean> {
  const found: unknown[] = await runner.query(
    `SELECT FROM pg_partitioned_table WHERE partrelid = to_regclass($1)`,
    [table],
  );
  return found.length > 0;
}

/** Null where there is none yet. */
async function lastQuarterOf(runner: QueryRunner, table: string): Promise<number | null> {
  const [{ last }] = (await runner.query(
    `SELECT max(substring(relname FROM '_([0-9]{4}q[1-4])$')) AS last
       FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE inhparent = $1::regclass`,
    [table],
  )) as [{ last: string | null }];
  if (last === null) return null;
  const [year, quarter] = last.split('q').map(Number);
  return year! * QUARTERS_A_YEAR + quarter! - 1;
}

async function addQuarter(runner: QueryRunner, table: string, quarter: number): Promise<void> {
  const later = `${table}_later`;
  const late: unknown[] = await runner.query(`SELECT FROM ${later} LIMIT 1`);
  if (late.length > 0) {
    throw new Problem(
      'invalid_state',
      `${later} has rows already, which came after the last quarter. docs/scaling.md says what to do.`,
    );
  }
  const [{ references }] = (await runner.query(PARTS, [later])) as [Parts];
  const values = `FOR VALUES FROM (${startOf(quarter)}) TO (${startOf(quarter + 1)})`;
  await briefly(runner, partition(table, nameOf(table, quarter), values, references));
}

/** References are each partition's own: one of the whole would be checked in all rows, under a lock. */
const partition = (
  table: string,
  name: string,
  values: string,
  references: readonly Constraint[],
): readonly string[] => [
  `CREATE TABLE ${name} PARTITION OF ${table} ${values}`,
  `SELECT payonce_wall_in('${name}', 'merchant_id')`,
  ...references.map(
    (reference) => `ALTER TABLE ${name} ADD CONSTRAINT ${reference.name} ${reference.definition}`,
  ),
];

/** A table's parts besides its columns and checks, as statements that make them. */
interface Parts {
  readonly indexes: readonly string[];
  readonly primaryKey: string;
  readonly triggers: readonly { readonly name: string; readonly definition: string }[];
  readonly references: readonly Constraint[];
  /** References of other tables to it. */
  readonly referrers: readonly Constraint[];
  readonly grants: readonly { readonly privilege: string; readonly role: string }[];
  readonly indexNames: readonly string[];
}

interface Constraint {
  readonly of: string;
  readonly name: string;
  readonly definition: string;
}

const PARTS = `
SELECT array(SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = t AND NOT indisprimary) AS indexes,
       array(SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = t) AS "indexNames",
       (SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = t AND contype = 'p') AS "primaryKey",
       (SELECT coalesce(json_agg(json_build_object('name', tgname, 'definition', pg_get_triggerdef(oid))), '[]')
          FROM pg_trigger WHERE tgrelid = t AND NOT tgisinternal) AS triggers,
       (SELECT coalesce(json_agg(json_build_object('of', conrelid::regclass, 'name', conname,
                                                   'definition', pg_get_constraintdef(oid))), '[]')
          FROM pg_constraint WHERE conrelid = t AND contype = 'f' AND conparentid = 0) AS "references",
       (SELECT coalesce(json_agg(json_build_object('of', conrelid::regclass, 'name', conname,
                                                   'definition', pg_get_constraintdef(oid))), '[]')
          FROM pg_constraint WHERE confrelid = t AND contype = 'f' AND conparentid = 0) AS referrers,
       (SELECT coalesce(json_agg(json_build_object('privilege', privilege_type, 'role', CASE grantee WHEN 0 THEN 'PUBLIC'
                                                   ELSE quote_ident(pg_get_userbyid(grantee)) END)), '[]')
          FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = t AND grantee <> relowner) AS grants
  FROM (SELECT $1::regclass AS t) x`;

async function divide(runner: QueryRunner, { table, key }: Divided, first: number): Promise<void> {
  const end = startOf(first);
  const bound = `${table}_ends`;
  // Told before, the partition's bound is not looked up in all rows while the table is closed. It refuses rows after the next
  // quarter: it does not outlast a failure, and a process that is killed is told of in docs/scaling.md.
  await briefly(runner, [
    `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${bound}`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${bound} CHECK (${key} < ${end}) NOT VALID`,
  ]);
  try {
    await runner.query(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${bound}`);
    await exchange(runner, table, key, end);
  } catch (error) {
    await briefly(runner, [`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${bound}`]);
    throw error;
  }
}

/** Puts a divided table in the place of one whose rows are all below `end`, as its check `…_ends` says. */
async function exchange(runner: QueryRunner, table: string, key: string, end: string): Promise<void> {
  const before = `${table}_before`;
  const bound = `${table}_ends`;
  const [parts] = (await runner.query(PARTS, [table])) as [Parts];
  await briefly(runner, [
    ...parts.referrers.map(({ of, name }) => `ALTER TABLE ${of} DROP CONSTRAINT ${name}`),
    ...parts.triggers.map(({ name }) => `DROP TRIGGER ${name} ON ${table}`),
    `ALTER TABLE ${table} RENAME TO ${before}`,
    ...parts.indexNames.map((name) => `ALTER INDEX ${name} RENAME TO ${name}_before`),
    `CREATE TABLE ${table} (LIKE ${before} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)
       PARTITION BY RANGE (${key})`,
    `ALTER TABLE ${table} DROP CONSTRAINT ${bound}`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey ${parts.primaryKey}`,
    ...parts.indexes,
    ...parts.triggers.map(({ definition }) => definition),
    `SELECT payonce_wall_in('${table}', 'merchant_id')`,
    ...parts.grants.map(({ privilege, role }) => `GRANT ${privilege} ON ${table} TO ${role}`),
    `ALTER TABLE ${table} ATTACH PARTITION ${before} FOR VALUES FROM (MINVALUE) TO (${end})`,
    `ALTER TABLE ${before} DROP CONSTRAINT ${bound}`,
    ...partition(table, `${table}_later`, 'DEFAULT', parts.references),
    ...parts.referrers.map(
      ({ of, name, definition }) => `ALTER TABLE ${of} ADD CONSTRAINT ${name} ${definition} NOT VALID`,
    ),
  ]);
}

/** Proves the references of others to it by the rows that were there before. */
async function proveReferences(runner: QueryRunner, table: string): Promise<void> {
  const unproved = (await runner.query(
    `SELECT conrelid::regclass AS of, quote_ident(conname) AS name FROM pg_constraint
      WHERE confrelid = $1::regclass AND contype = 'f' AND NOT convalidated`,
    [table],
  )) as Pick<Constraint, 'of' | 'name'>[];
  for (const { of, name } of unproved) await runner.query(`ALTER TABLE ${of} VALIDATE CONSTRAINT ${name}`);
}

/** Runs statements that close a table as one transaction, as soon as their locks are free. */
async function briefly(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    await runner.startTransaction();
    try {
      await runner.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      for (const statement of statements) await runner.query(statement);
      await runner.commitTransaction();
      return;
    } catch (error) {
      await runner.rollbackTransaction();
      if (sqlStateOf(error) !== sqlState.LOCK_NOT_AVAILABLE || tries === MOST_TRIES) throw error;
      await runner.query('SELECT pg_sleep(0.2)');
    }
  }
}
