import { execFileSync, spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { type Clock } from '../../core/clock.js';
import { type Cluster, SUPERUSER } from './postgres-cluster.js';
import { EmbeddedPostgresError } from './embedded-error.js';

const DATABASE = 'payonce';
/** The role of the service: it owns no table, and row-level security holds for it. */
const SERVICE_ROLE = 'payonce_app';

/** How long a server may take to answer: crash recovery after a power cut replays up to 1 GB of log. */
const START_TIMEOUT_S = 120;
/** How long a server that says nothing at all is waited for before it is killed. */
const SILENT_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_S = 30;

/** Below 32768: above it, a port can be in use by an outgoing connection. */
const FIRST_PORT = 15_000;
const PORTS = 15_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // pg_ctl passes the settings through a shell.
  unix_socket_directories: `''`,
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A refused statement's text and row hold customer data; our own errors say what was refused.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Each user of the server holds this lock shared, from its claim on; who gets it alone was the last. */
const CLAIM = 0x7061796f;

interface Postmaster {
  readonly pid: number;
  /** NaN until it listens. */
  readonly port: number;
}

/**
 * A connection that says: this server is in use. It ends with its process, however that ends, and takes nothing
 * but the shared lock, which a server that is being stopped by its last user does not give any more.
 */
export class Claim {
  private constructor(
    private readonly cluster: Cluster,
    private readonly port: number,
    private readonly client: Client,
    private readonly clock: Clock,
  ) {}

  /** Joins the server of this cluster, started where none runs. */
  static async take(cluster: Cluster, clock: Clock): Promise<Claim> {
    const sinceMs = clock.monotonicMs();
    let silentSinceMs = sinceMs;
    while (clock.monotonicMs() - sinceMs < 2 * START_TIMEOUT_S * 1_000) {
      const server = runningServer(cluster);
      if (!server) {
        await start(cluster);
        silentSinceMs = clock.monotonicMs();
        continue;
      }
      const answer = await claimAt(cluster, server);
      if (typeof answer === 'object') {
        await ensureDatabase(answer);
        return new Claim(cluster, server.port, answer, clock);
      }
      if (answer === 'busy') silentSinceMs = clock.monotonicMs();
      if (clock.monotonicMs() - silentSinceMs > SILENT_TIMEOUT_MS) {
        process.kill(server.pid, 'SIGKILL');
        silentSinceMs = clock.monotonicMs();
      }
      await clock.sleep(20);
    }
    throw failure(cluster, 'the embedded database does not answer');
  }

  /** The URL for the superuser, who owns the tables. */
  get url(): string {
    return urlOf(this.cluster, this.port, DATABASE);
  }

  /** The URL for the role of the service, which migrations make. */
  get serviceUrl(): string {
    const { cluster, port } = this;
    return urlOf({ password: servicePassword(cluster) }, port, DATABASE, SERVICE_ROLE);
  }

  /** Gives the claim up, and stops the server where it was the last: what is committed is flushed. */
  async release(): Promise<void> {
    // The process that releases it may have nothing else to stay alive for.
    keepAlive(this.client);
    await this.client.end().catch(() => {});
    const server = runningServer(this.cluster);
    // Asked on a new connection: the server may have ended the first.
    const client = server ? await claimAt(this.cluster, server) : null;
    if (client === null || typeof client === 'string') return;
    keepAlive(client);
    try {
      const { rows } = await client.query<{ last: boolean }>(
        `SELECT pg_advisory_unlock_shared(${CLAIM}), pg_try_advisory_lock(${CLAIM}) AS last`,
      );
      if (rows[0]!.last) await stop(this.cluster, this.clock);
    } finally {
      await client.end().catch(() => {});
    }
  }
}

/** pg has them, its types do not. */
type Reference = Client & { ref(): void; unref(): void };

function keepAlive(client: Client): void {
  (client as Reference).ref();
}

/**
 * A connection that holds the claim, or why there is none. Password exchange is mutual (SCRAM): a stranger
 * cannot pass for this cluster's server.
 */
async function claimAt(cluster: Cluster, { pid, port }: Postmaster): Promise<Client | 'busy' | 'silent'> {
  const client = new Client({
    connectionString: urlOf(cluster, port || 1, 'postgres'),
    connectionTimeoutMillis: 2_000,
    query_timeout: STOP_TIMEOUT_S * 1_000,
    application_name: 'payonce-claim',
  });
  client.on('error', () => {}); // The call that needs a broken connection fails by itself.
  try {
    await client.connect();
    const { rows } = await client.query<{ data: string }>(
      `SELECT current_setting('data_directory') AS data, pg_advisory_lock_shared(${CLAIM})`,
    );
    if (rows[0]!.data === cluster.data) {
      // A claim keeps no process alive.
      (client as Reference).unref();
      return client;
    }
  } catch (error) {
    void client.end().catch(() => {});
    const { code = '' } = error as { code?: string };
    // 57P03 cannot connect now, 57P01 closing, 53300 too many connections, 28xxx not our password.
    if (['57P03', '57P01', '53300'].includes(code)) return 'busy';
    if (!code.startsWith('28')) return 'silent';
  }
  void client.end().catch(() => {});
  throw new EmbeddedPostgresError(
    `process ${pid} serves ${cluster.data}, but what answers on port ${port} does not take ` +
      `its password from ${cluster.home}; stop that process and start again`,
  );
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query(`SELECT FROM pg_database WHERE datname = '${DATABASE}'`);
  if (rowCount !== 0) return;
  await client.query(`CREATE DATABASE ${DATABASE}`).catch((error: unknown) => {
    const { code } = error as { code?: string };
    // Another process made it at the same moment.
    if (code !== '42P04' && code !== '23505') throw error;
  });
}

/** The service's password is made from the superuser's, which does not follow from it. */
function servicePassword({ password }: Cluster): string {
  return createHmac('sha256', password).update(SERVICE_ROLE).digest('hex');
}

/** The contents of postmaster.pid, provided that the process it names is this cluster's server. */
function runningServer(cluster: Cluster): Postmaster | null {
  const lines = readOr('', join(cluster.data, 'postmaster.pid')).split('\n');
  // Lines: pid, data directory, start time, port, socket directory, address, shared memory, status.
  const found = { pid: Number(lines[0]), port: Number(lines[3] ?? Number.NaN) };
  return isServerOf(cluster, found.pid) ? found : null;
}

/**
 * A pid proves nothing: it may have been given to another process since, and a copied checkout
 * brings along the pid of the original's server. The command line names the data directory.
 */
function isServerOf({ data }: Cluster, pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    if (process.platform === 'linux') {
      const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return basename(command) === 'postgres' && args[args.indexOf('-D') + 1] === data;
    }
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(`postgres -D ${data} `);
  } catch {
    return false;
  }
}

/** Returns once a server runs, ours or that of another process which was quicker. */
async function start(cluster: Cluster): Promise<void> {
  disarmStalePidFile(cluster);
  const { logFile } = cluster;
  const size = () => statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size() > 16_000_000) renameSync(logFile, `${logFile}.1`);
  for (const port of portsFor(cluster)) {
    for (let tries = 0; tries < 100; tries++) {
      const logStart = size();
      const settings = Object.entries({ ...SETTINGS, port }).map(([name, value]) => `-c ${name}=${value}`);
      const started = await control(cluster, 'start', START_TIMEOUT_S, '-o', settings.join(' '));
      if (started) return writeFileSync(join(cluster.home, 'postgres.port'), `${port}\n`);
      if (runningServer(cluster)) return;
      const said = readOr('', logFile).slice(logStart);
      // The next port.
      if (/address already in use|could not bind/i.test(said)) break;
      // The server was killed and some of its backends have not noticed yet.
      if (!said.includes('shared memory block'))
        throw failure(cluster, 'the embedded database does not start');
    }
  }
  throw failure(cluster, `no free port from ${FIRST_PORT} to ${FIRST_PORT + PORTS}`);
}

/**
 * Stops this server and no other: a process that comes meanwhile may start the next one before `pg_ctl stop` has
 * noticed that the first has ended, and pg_ctl would then wait for the next one, and stop it.
 */
async function stop(cluster: Cluster, clock: Clock): Promise<void> {
  const server = runningServer(cluster);
  if (!server) return;
  // Postgres calls them fast and immediate.
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(server.pid, signal);
    } catch {
      return; // it has ended
    }
    for (let waits = 0; waits < STOP_TIMEOUT_S * 20; waits++) {
      if (runningServer(cluster)?.pid !== server.pid) return;
      await clock.sleep(50);
    }
  }
  throw failure(cluster, 'the embedded database does not end');
}

/** Runs pg_ctl, which waits for what it does. Its output and that of the server go to the log. */
async function control(
  { data, logFile, binaries }: Cluster,
  command: 'start',
  timeoutS: number,
  ...options: string[]
): Promise<boolean> {
  const log = openSync(logFile, 'a', 0o600);
  const args = [command, '-D', data, '-w', '-t', String(timeoutS), ...options];
  const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
  try {
    const run = { ...binaries.runAs, cwd: '/', stdio: ['ignore' as const, log, log], env };
    const [code] = (await once(spawn(binaries.pgCtl, args, run), 'exit')) as [number | null];
    return code === 0;
  } finally {
    closeSync(log);
  }
}

/**
 * Postgres takes any process under the pid in postmaster.pid for a running server, be it a stranger
 * or a zombie, and there is none (`isServerOf`). Removing the file would also remove its trace of shared memory,
 * by which Postgres refuses to start beside backends that a killed server left behind. So only the pid is
 * replaced, by ours: a file that names the process that runs pg_ctl is stale to the server.
 */
function disarmStalePidFile(cluster: Cluster): void {
  const file = join(cluster.data, 'postmaster.pid');
  if (!existsSync(file) || runningServer(cluster)) return;
  const content = readFileSync(file, 'utf8');
  if (content.trim() === '') rmSync(file, { force: true });
  else writeFileSync(file, content.replace(/^\d+/, String(process.pid)));
}

/** The port it had, then others from a place that the path decides, so that checkouts keep apart. */
function* portsFor({ home, data }: Cluster): Generator<number> {
  const kept = Number(readOr('', join(home, 'postgres.port')));
  if (kept >= FIRST_PORT && kept < FIRST_PORT + PORTS) yield kept;
  const seed = createHash('sha256').update(data).digest().readUInt32BE(0);
  for (let i = 0; i < 500; i++) yield FIRST_PORT + ((seed + i * 7) % PORTS);
}

function urlOf(
  { password }: Pick<Cluster, 'password'>,
  port: number,
  database: string,
  role: string = SUPERUSER,
): string {
  return `postgresql://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

function failure({ logFile }: Cluster, what: string): Error {
  const tail = readOr('(no log)', logFile).trimEnd().split('\n').slice(-15).join('\n');
  return new EmbeddedPostgresError(`${what}\nThe end of ${logFile}:\n${tail}`);
}

/** A server that ends removes its files between a look and a read: there is one read. */
function readOr(none: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    throw error;
  }
}
