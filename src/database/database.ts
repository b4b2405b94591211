import { type Client, type Pool, type PoolConfig, types } from 'pg';
import {
  DataSource,
  DefaultNamingStrategy,
  type Logger,
  MigrationExecutor,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';
import { columnName } from './commit/columns.js';
import { BOUNDED, doubtUnreplicated, DURABLE, ignoreConnectionErrors } from './connection.js';
import { admitService } from './service-role.js';
import { sqlState, sqlStateOf } from './sql-state.js';
import { FOR_ALL_TENANTS } from './tenants.js';
import { type PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** An open database: TypeORM for entities and migrations, the pool for SQL written as SQL. */
export interface Database {
  readonly url: string;
  readonly dataSource: DataSource;
  /**
   * The data source's own pool, so that `poolSize` bounds all connections of this process. `int8`
   * arrives as a number (a value past 2^53 is an error, never a rounded number or a string),
   * `timestamptz` as a Date.
   */
  readonly pool: Pool;
  close(): Promise<void>;
}

/** A class with TypeORM's `@Entity`. */
export type EntityClass = new () => object;

export interface DatabaseOptions {
  readonly url: string;
  readonly entities: readonly EntityClass[];
  readonly migrations: readonly (new () => MigrationInterface)[];
  /** The most connections that this process opens. At least 2. */
  readonly poolSize: number;
  /** How the process is called in pg_stat_activity. */
  readonly applicationName: string;
  /** Whether a statement that names no merchant sees the rows of all; true unless told. */
  readonly seesAll?: boolean;
}

/** The database cannot be used as configured. The message is for an operator and holds no secret. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(
    message: string,
    readonly code:
      | 'database_unavailable'
      | 'no_installation'
      | 'schema_outdated'
      | 'schema_too_new' = 'database_unavailable',
  ) {
    super(message);
  }
}

const CONNECT_TIMEOUT_MS = 5_000;
const MIGRATION_LOCK_TIMEOUT_MS = 60_000;
/** How often it is asked whether another process still migrates. */
const TURN_MS = 200;

/** TypeORM writes to stdout even with logging off, which belongs to the caller of a command. */
const SILENT: Logger = {
  logQuery() {},
  logQueryError() {},
  logQuerySlow() {},
  logSchemaBuild() {},
  logMigration() {},
  log() {},
};

class SnakeCase extends DefaultNamingStrategy {
  override columnName(property: string, custom: string | undefined): string {
    return custom ?? columnName(property);
  }
}

/** Connects; throws DatabaseUnavailable with host and port when that fails. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize } = options;
  const place = placeOf(url);
  const poolConfig: PoolConfig = {
    connectionString: url,
    max: Math.max(2, poolSize),
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
    // A pool of pg makes Clients; its types name their base alone.
    onConnect: (client) => prepare(client as Client, options.seesAll ?? true),
  };
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    entities: [...options.entities],
    migrations: [...options.migrations],
    migrationsTransactionMode: 'each',
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    installExtensions: false,
    namingStrategy: new SnakeCase(),
    logger: SILENT,
    // An idle connection that breaks is replaced by the pool; the next caller hears of it then.
    poolErrorHandler: () => {},
    extra: poolConfig,
  });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw new DatabaseUnavailable(`cannot use the database at ${place}: ${reasonOf(error)}`);
  }
  return { url, dataSource, pool: poolOf(dataSource), close: () => dataSource.destroy() };
}

/** The pool that TypeORM's driver for Postgres holds: `master` is its public name, which TypeORM types as any. */
export function poolOf({ driver }: DataSource): Pool {
  return (driver as PostgresDriver).master as Pool;
}

/** Removes the schema with the role's own name from the search path: another role may have made that schema. */
const NO_SCHEMA_OF_ITS_NAME = String.raw`
SELECT set_config('search_path', regexp_replace(current_setting('search_path'), '"?[$]user"?\s*,?\s*', ''), false)`;

/** Statements of a connection run in order: what is asked of it first runs after this. */
function prepare(client: Client, seesAll: boolean): void {
  ignoreConnectionErrors(client);
  doubtUnreplicated(client);
  // No statement here runs for as long as it takes to compile it. Where this fails the connection is lost, and the
  // next caller hears of it.
  const settings = [
    'SET jit = off',
    BOUNDED,
    DURABLE,
    ...(seesAll ? [FOR_ALL_TENANTS] : []),
    NO_SCHEMA_OF_ITS_NAME,
  ];
  client.query(settings.join('; ')).catch(() => {});
}

/** A table that a migration adds with a column for its merchant is walled in by itself (migration 0080). */
const WALL_IN = `
SELECT payonce_wall_in(c.oid, 'merchant_id') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relrowsecurity
   AND a.attname = 'merchant_id' AND NOT a.attisdropped`;

/**
 * Runs the pending migrations and returns their names. Any number of processes may call it at once:
 * one does the work, the others wait for it and find nothing left to do. `serviceUrl`: of the role that works with the
 * tables, where it is another than the one that runs this.
 */
export function migrate(dataSource: DataSource, serviceUrl: string | null = null): Promise<string[]> {
  return asMigration(dataSource, async (runner) => {
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'each';
    const done = await executor.executePendingMigrations();
    await runner.query(WALL_IN);
    if (serviceUrl !== null) await admitService(runner, serviceUrl);
    return done.map((migration) => migration.name);
  });
}

/** Does what changes the schema, one process at a time. @throws DatabaseUnavailable where a lock is held for long */
export async function asMigration<T>(
  dataSource: DataSource,
  work: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    // A migration of a large table may take longer than a request may.
    await runner.query(`SET statement_timeout = 0; SET lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`);
    await takeTurn(runner);
    try {
      return await work(runner);
    } finally {
      await runner.query(`SELECT pg_advisory_unlock(hashtext('payonce'), hashtext('migrate'))`);
      await runner.query(`${BOUNDED}; RESET lock_timeout`);
    }
  } catch (error) {
    if (sqlStateOf(error) === sqlState.LOCK_NOT_AVAILABLE) throw waitedTooLong();
    throw error;
  } finally {
    await runner.release();
  }
}

/**
 * Takes the lock that one process at a time migrates under. A process asks for it again and again: CREATE INDEX
 * CONCURRENTLY waits for every statement under way, and so for one that waits for this lock.
 */
async function takeTurn(runner: QueryRunner): Promise<void> {
  for (let waitedMs = 0; waitedMs < MIGRATION_LOCK_TIMEOUT_MS; waitedMs += TURN_MS) {
    const [{ taken }] = (await runner.query(
      `SELECT pg_try_advisory_lock(hashtext('payonce'), hashtext('migrate')) AS taken`,
    )) as [{ taken: boolean }];
    if (taken) return;
    await runner.query(`SELECT pg_sleep(${TURN_MS / 1_000})`);
  }
  throw waitedTooLong();
}

function waitedTooLong(): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `a migration waited ${MIGRATION_LOCK_TIMEOUT_MS / 1_000} s for a lock that another session holds`,
  );
}

/** How the schema of a database stands to the migrations that this program knows. */
export interface SchemaState {
  /** It was never migrated at all. */
  readonly isEmpty: boolean;
  /** Known here and not run there, in order. */
  readonly pending: readonly string[];
  /** Run there by a newer version, and not known to be such that this one works beside them. */
  readonly tooNew: readonly string[];
}

/** `AddsSomethingBeside0201` and its time: versions that know 0201 work with it. See ADR 0202. */
const BESIDE = /Beside(\d{4})\d{13}$/;

/** Reads and changes nothing. */
export async function schemaStateOf({ dataSource, pool }: Database): Promise<SchemaState> {
  const known = dataSource.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const found = await pool.query<{ is: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS is`,
  );
  const rows = found.rows[0]!.is
    ? (await pool.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY id')).rows
    : [];
  const run = rows.map(({ name }) => name);
  const pending = known.filter((name) => !run.includes(name));
  const numbers = new Set(known.map((name) => name.slice(-4)));
  const worksBeside = (name: string) => pending.length === 0 && numbers.has(BESIDE.exec(name)?.[1] ?? '');
  return {
    isEmpty: run.length === 0,
    pending,
    tooNew: run.filter((name) => !known.includes(name) && !worksBeside(name)),
  };
}

const INT8 = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  const parser = types.getTypeParser(oid, format) as (value: string) => unknown;
  return oid === INT8 && format !== 'binary' ? safeInteger : parser;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`an int8 past 2^53 was read: ${text}`);
  return value;
}

/** `host:port/database as user`, never the password. */
export function placeOf(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    parsed = new URL('invalid:');
  }
  if (!/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new DatabaseUnavailable(
      'the database URL is not of the form postgresql://user:password@host:port/name',
    );
  }
  const { hostname, port, pathname, username } = parsed;
  const who = username ? ` as ${decodeURIComponent(username)}` : '';
  return `${hostname || 'localhost'}:${port || 5432}${pathname === '/' ? '' : pathname}${who}`;
}

function reasonOf(error: unknown): string {
  // A name with several addresses fails with one error for each.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
