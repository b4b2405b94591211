import { randomBytes, randomUUID } from 'node:crypto';
import { Client, Pool, type PoolConfig } from 'pg';
import { type Database } from '../../src/database/database.js';

export interface FreshDatabase {
  /** As the owner, for whom no row is hidden. */
  readonly url: string;
  /** As the service connects: row-level security holds. */
  readonly serviceUrl: string;
  /** Drops it, even with clients connected. */
  drop(): Promise<void>;
}

/** A migrated database of its own for a test or a file of tests: a copy of the run's template. */
export function freshDatabase(): Promise<FreshDatabase> {
  return copyOf(setting('TEST_TEMPLATE'));
}

/** One that no migration has seen. */
export function emptyDatabase(): Promise<FreshDatabase> {
  return copyOf('template0');
}

async function copyOf(template: string): Promise<FreshDatabase> {
  const name = `payonce_test_${randomBytes(6).toString('hex')}`;
  // Copied as files: block by block through the log costs three times as much.
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const urlOf = (server: string) => Object.assign(new URL(setting(server)), { pathname: `/${name}` }).href;
  return {
    url: urlOf('TEST_SERVER_URL'),
    serviceUrl: urlOf('TEST_SERVICE_URL'),
    drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function onServer(sql: string): Promise<void> {
  await onDatabase(setting('TEST_SERVER_URL'), (client) => client.query(sql));
}

/** Does `work` on a connection of its own. */
export async function onDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: tests with a database lie under test/`);
  return value;
}

/**
 * A pool of a spec. Its sessions end after `end()` has resolved, and a database that is dropped meanwhile, or a server that
 * is killed, ends them once more: nobody has to hear of it.
 */
export function poolAt(url: string, more: PoolConfig = {}): Pool {
  return new Pool({ connectionString: url, max: 4, ...more }).on('error', () => {});
}

/** A database as it is now, to bring it back to. Ends the connections to it. */
export async function keptCopy({ url }: Pick<FreshDatabase, 'url'>): Promise<{
  /** The database is again what it was: what was committed since is lost, as with a standby that lagged. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}> {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_older`;
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await onServer(`CREATE DATABASE ${copy} TEMPLATE ${name}`);
  return {
    restore: async () => {
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
      await onServer(`CREATE DATABASE ${name} TEMPLATE ${copy}`);
    },
    drop: () => onServer(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`),
  };
}

/** A merchant of that database. Resolves to its id. */
export async function newMerchant({ pool }: Pick<Database, 'pool'>): Promise<string> {
  const id = randomUUID();
  await pool.query("INSERT INTO merchants (id, name, created_at) VALUES ($1, 'Shop', now())", [id]);
  return id;
}
