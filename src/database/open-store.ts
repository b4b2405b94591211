import { resolve } from 'node:path';
import { migrations } from '../../migrations/index.js';
import { type Config } from '../config/config.js';
import {
  asMigration,
  type Database,
  DatabaseUnavailable,
  type EntityClass,
  migrate,
  openDatabase,
  placeOf,
  type SchemaState,
  schemaStateOf,
} from './database.js';
import {
  type EmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from './embedded/embedded-postgres.js';
import { partitionByTime } from './partitions.js';
import { foreignSchemaOf, roleOf } from './service-role.js';
import { sqlState, sqlStateOf } from './sql-state.js';
import { serverFactsOf, unfitBecause } from './server-fitness.js';
import { VERSION } from '../core/version.js';

/** The database as configured or embedded, with the schema of this version, and open. */
export interface Store {
  readonly database: Database;
  /** Which installation it is, for people; without secrets. */
  readonly place: string;
  /** The names of the migrations that this start has run. */
  readonly migrated: readonly string[];
  /** Closes the connections and gives up the embedded server, which stops when no other process uses it. */
  close(): Promise<void>;
}

type Where = Pick<Config, 'databaseUrl' | 'migrationDatabaseUrl' | 'dataDir'>;

/**
 * `migrate`: makes the embedded database where there is none, and brings the schema up to date.
 * `require`: makes and changes nothing, and refuses what is not there, and a version that this one cannot work with.
 */
type Schema = 'migrate' | 'require';

interface StoreOptions {
  readonly entities: readonly EntityClass[];
  readonly poolSize: number;
  readonly applicationName: string;
  readonly schema: Schema;
  /** Refuses a server that takes no writes, which commands that read do not need. */
  readonly writes: boolean;
}

/**
 * Opens what the service and its commands keep their data in.
 * @throws DatabaseUnavailable
 */
export async function openStore(config: Where, options: StoreOptions): Promise<Store> {
  if (options.schema === 'require') refuseNone(config);
  const place = installationOf(config);
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
  const urls = urlsOf(config, embedded);
  let database: Database | undefined;
  const close = async () => {
    try {
      await database?.close();
    } finally {
      await embedded?.release();
    }
  };
  try {
    const isOwner = urls.owner === urls.service;
    const byOwner = isOwner ? [] : await migratedAsOwner(urls, place, options);
    database = await openDatabase({ url: urls.service, migrations, ...options });
    await refuseUnfitServer(database, place, options.writes);
    const bySelf = await migrated(database, place, isOwner ? options.schema : 'require', null);
    return { database, place, migrated: [...byOwner, ...bySelf], close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface DatabaseUrls {
  /** The URL of the role that runs migrations, and owns the tables. */
  readonly owner: string;
  /** The URL of the role that works with them. */
  readonly service: string;
}

function urlsOf(
  { databaseUrl, migrationDatabaseUrl }: Where,
  embedded: EmbeddedPostgres | null,
): DatabaseUrls {
  if (embedded !== null) return { owner: embedded.url, service: embedded.serviceUrl };
  return { owner: migrationDatabaseUrl ?? databaseUrl!, service: databaseUrl! };
}

async function migratedAsOwner(
  { owner, service }: DatabaseUrls,
  place: string,
  { schema, writes }: Pick<StoreOptions, 'schema' | 'writes'>,
): Promise<readonly string[]> {
  const options = { entities: [], poolSize: 2, applicationName: 'payonce-migrate' };
  const database = await openDatabase({ url: owner, migrations, ...options });
  try {
    await refuseUnfitServer(database, place, writes);
    const foreign = await foreignSchemaOf(database.pool);
    if (foreign !== null) {
      throw new DatabaseUnavailable(
        `${place} has a schema ${foreign}, named like the role that migrates, which belongs to another role. ` +
          'Postgres would search it before public. Find out who made it, and drop it',
      );
    }
    return await migrated(database, place, schema, service);
  } finally {
    await database.close();
  }
}

/** Brings the schema up to date, or with `require` refuses one that is not. Returns what was run. */
async function migrated(
  database: Database,
  place: string,
  schema: Schema,
  serviceUrl: string | null,
): Promise<readonly string[]> {
  refuseUnfit(await readableSchemaStateOf(database), place, schema);
  if (schema === 'require') return [];
  const run = await migrate(database.dataSource, serviceUrl);
  // A newer version may have come in between.
  refuseUnfit(await schemaStateOf(database), place, 'require');
  return run;
}

/** The state of a schema whose tables may not have been granted to this role. */
async function readableSchemaStateOf(database: Database): Promise<SchemaState> {
  try {
    return await schemaStateOf(database);
  } catch (error) {
    if (sqlStateOf(error) !== sqlState.INSUFFICIENT_PRIVILEGE) throw error;
    throw new DatabaseUnavailable(
      `the role ${roleOf(database.url)} may not use the tables. ` +
        'Run with PAYONCE_MIGRATION_DATABASE_URL: npx payonce migrate',
    );
  }
}

/** Previews the migrations of `openStore` with `migrate`. Makes and changes nothing. */
export async function pendingMigrations(
  config: Where,
): Promise<{ readonly place: string; readonly pending: readonly string[] }> {
  const place = installationOf(config);
  if (config.databaseUrl === null && !hasEmbeddedPostgres(config.dataDir)) {
    return { place: `${place}, which is not there yet`, pending: migrations.map(({ name }) => name) };
  }
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
  let database: Database | undefined;
  try {
    const url = urlsOf(config, embedded).owner;
    const options = { entities: [], poolSize: 2, applicationName: 'payonce-cli' };
    database = await openDatabase({ url, migrations, ...options });
    const state = await schemaStateOf(database);
    refuseUnfit(state, place, 'migrate');
    return { place, pending: state.pending };
  } finally {
    await database?.close();
    await embedded?.release();
  }
}

/** Divides the tables of history by time. @returns the names of the partitions that it made */
export async function partitionStore(config: Where, years: number): Promise<readonly string[]> {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
  let database: Database | undefined;
  try {
    const url = urlsOf(config, embedded).owner;
    const options = { entities: [], poolSize: 2, applicationName: 'payonce-migrate' };
    database = await openDatabase({ url, migrations, ...options });
    return await asMigration(database.dataSource, (runner) => partitionByTime(runner, years));
  } finally {
    await database?.close();
    await embedded?.release();
  }
}

function installationOf({ databaseUrl, dataDir }: Where): string {
  return databaseUrl === null ? `the embedded database in ${resolve(dataDir)}` : placeOf(databaseUrl);
}

function refuseNone(config: Where): void {
  if (config.databaseUrl !== null || hasEmbeddedPostgres(config.dataDir)) return;
  throw new DatabaseUnavailable(
    `there is no Payonce installation: ${resolve(config.dataDir)} holds no database. ` +
      'Go to the folder of the installation or name it with DATABASE_URL or PAYONCE_DATA_DIR; ' +
      'for a new one start the service once (npm start) or run: npx payonce migrate',
    'no_installation',
  );
}

async function refuseUnfitServer({ pool }: Database, place: string, writes: boolean): Promise<void> {
  const why = unfitBecause(await serverFactsOf(pool), writes);
  if (why !== null) throw new DatabaseUnavailable(`${place} ${why}`);
}

function refuseUnfit({ isEmpty, pending, tooNew }: SchemaState, place: string, schema: Schema): void {
  if (tooNew.length > 0) {
    throw new DatabaseUnavailable(
      `a newer version of Payonce has migrated ${place}: this one, ${VERSION}, cannot work with ` +
        `${tooNew.join(', ')}. Run that version or a newer one`,
      'schema_too_new',
    );
  }
  if (schema === 'migrate' || pending.length === 0) return;
  throw new DatabaseUnavailable(
    isEmpty
      ? `there is no Payonce installation in ${place}: it holds no tables of Payonce. ` +
          'Start the service with it once, or run: npx payonce migrate'
      : `${place} is of an older version of Payonce: it lacks ${pending.join(', ')}. Run: npx payonce migrate`,
    isEmpty ? 'no_installation' : 'schema_outdated',
  );
}
