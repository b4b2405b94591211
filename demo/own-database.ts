import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/**
 * Where one run of the demo keeps its data: no other process works on it, so that the ledgers can be
 * held against all that is in it, and demos may run beside each other and beside a service.
 *
 * Without DATABASE_URL that is an embedded Postgres in a temporary directory; with it, a database of
 * its own on that server, whose role has to be allowed to create one. Both are gone when the demo is. What a
 * killed demo left behind is swept by a later one.
 */
export interface OwnDatabase {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** For people. */
  readonly what: string;
  drop(): Promise<void>;
}

const DIRECTORY = 'payonce-demo-';
const DATABASE = 'payonce_demo_';
/** No demo takes this long, so that an older database has lost its demo. */
const STALE_MS = 3_600_000;

export async function ownDatabase(given: string | undefined): Promise<OwnDatabase> {
  const directory = mkdtempSync(join(tmpdir(), `${DIRECTORY}${process.pid}-`));
  const env = { PAYONCE_DATA_DIR: directory };
  if (!given) {
    const drop = async () => {
      await discard(directory);
      await sweepDirectories();
    };
    return { directory, env, what: 'an embedded Postgres', drop };
  }
  try {
    const name = `${DATABASE}${Date.now()}_${randomBytes(4).toString('hex')}`;
    await onServer(given, async (client) => {
      await sweepDatabases(client);
      await client.query(`CREATE DATABASE ${name}`);
    });
    const url = Object.assign(new URL(given), { pathname: `/${name}` });
    const drop = async () => {
      await onServer(given, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
      await discard(directory);
    };
    const settings = { DATABASE_URL: url.href, PAYONCE_SEAL_KEY: randomBytes(32).toString('base64') };
    return { directory, env: { ...env, ...settings }, what: 'the Postgres of DATABASE_URL', drop };
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The server of DATABASE_URL cannot be used: ${why}`, { cause: error });
  }
}

async function onServer(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 10_000 });
  client.on('error', () => {}); // the query that needs the connection says so
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end();
  }
}

async function sweepDatabases(client: Client): Promise<void> {
  const found = await client.query<{ name: string }>(
    'SELECT datname AS name FROM pg_database WHERE starts_with(datname, $1) AND datdba = current_user::regrole',
    [DATABASE],
  );
  for (const { name } of found.rows) {
    const madeAt = Number(/^payonce_demo_(\d+)_[0-9a-f]{8}$/.exec(name)?.[1]);
    if (madeAt < Date.now() - STALE_MS) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }
}

async function sweepDirectories(): Promise<void> {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^payonce-demo-(\d+)-\w{6}$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Another program's, or still in use: it is not ours to remove.
    await discard(join(tmpdir(), name)).catch(() => {});
  }
}

/** Stops the server where its users could not, and removes everything. */
async function discard(directory: string): Promise<void> {
  const data = join(directory, 'postgres');
  const served = () => existsSync(join(data, 'postmaster.pid'));
  if (served()) {
    // Loaded only here: it is not for nothing that starting takes a moment.
    const { startEmbeddedPostgres } = await import('../src/database/embedded/embedded-postgres.js');
    const server = await startEmbeddedPostgres(directory);
    await server.release();
    if (served()) return; // another process still uses it, and stops it
  }
  // Data may lie elsewhere, where their user can enter; then this is a link.
  if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true });
  rmSync(directory, { recursive: true, force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
