import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
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
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { type Clock } from '../../core/clock.js';
import { type Cluster, SUPERUSER } from './postgres-cluster.js';
import { isProcessAlive } from './process-lock.js';

const DATABASE = 'payonce';

/** How long a start may take: crash recovery after a power cut replays up to 1 GB of log. */
const START_TIMEOUT_MS = 120_000;
/** How long a server that says "wait" (recovering, closing, no connection free) is waited for. */
const BUSY_TIMEOUT_MS = 60_000;
/** How long a server that says nothing at all is waited for before it is replaced. */
const SILENT_TIMEOUT_MS = 5_000;

/** How a server is ended: a signal and how long it is given, then the next. */
const REPLACE: readonly (readonly [signal: NodeJS.Signals, waitMs: number])[] = [
  ['SIGQUIT', 2_000],
  ['SIGKILL', 5_000],
];
const STOP: typeof REPLACE = [['SIGINT', 30_000], ...REPLACE];

/** Below 32768: above it, a port can be in use by an outgoing connection. */
const FIRST_PORT = 15_000;
const PORTS = 15_000;

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A refused statement's text and row hold customer data; our own errors say what was refused.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly ready: boolean;
}

/** The running server of this cluster, started where there is none. Call it under the lock of its home. */
export async function ensureServer(cluster: Cluster, clock: Clock): Promise<string> {
  const running = runningServer(cluster);
  let port = running?.port;
  if (running && !(await adopt(cluster, running, clock))) port = undefined;
  if (port === undefined) {
    port = await start(cluster, clock);
    writeFileSync(join(cluster.home, 'postgres.port'), `${port}\n`);
  }
  await ensureDatabase(cluster, port);
  return urlOf(cluster, port, DATABASE);
}

/** Stops the server when it runs: what is under way is rolled back, what is committed is flushed. */
export async function stopServer(cluster: Cluster, clock: Clock): Promise<void> {
  const running = runningServer(cluster);
  if (running) await end(cluster, running.pid, clock, STOP);
}

/** What postmaster.pid says, provided that the process it names is this cluster's server. */
function runningServer(cluster: Cluster): Postmaster | null {
  const found = readPidFile(cluster);
  return found && isServerOf(cluster, found.pid) ? found : null;
}

function readPidFile({ data }: Cluster): Postmaster | null {
  let lines: string[];
  try {
    lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return null;
  }
  // Lines: pid, data directory, start time, port, socket directory, address, shared memory, status.
  return { pid: Number(lines[0]), port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' };
}

/**
 * A pid proves nothing: it may have been given to another process since, and a copied checkout
 * brings along the pid of the original's server. The command line names the data directory.
 */
function isServerOf({ data }: Cluster, pid: number): boolean {
  if (!isProcessAlive(pid)) return false;
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

/** True once the server answers as ours; false when it is gone, or did not answer and was ended. */
async function adopt(cluster: Cluster, server: Postmaster, clock: Clock): Promise<boolean> {
  const sinceMs = clock.monotonicMs();
  for (;;) {
    if (!isServerOf(cluster, server.pid)) return false;
    const answer = await ask(cluster, server.port);
    if (answer === 'ours') return true;
    if (answer === 'another') {
      throw new Error(
        `process ${server.pid} serves ${cluster.data}, but what answers on port ${server.port} does not take ` +
          `its password from ${cluster.home}; stop that process and start again`,
      );
    }
    const waitedMs = clock.monotonicMs() - sinceMs;
    if (answer === 'silent' && waitedMs > SILENT_TIMEOUT_MS) {
      await end(cluster, server.pid, clock, REPLACE);
      return false;
    }
    if (waitedMs > BUSY_TIMEOUT_MS) {
      throw failure(cluster, `the embedded database has been busy for ${BUSY_TIMEOUT_MS} ms`);
    }
    await clock.sleep(50);
  }
}

/** Who answers on a port. Password exchange is mutual (SCRAM): a stranger cannot pass for ours. */
async function ask(cluster: Cluster, port: number): Promise<'ours' | 'another' | 'busy' | 'silent'> {
  try {
    const [row] = await query<{ data_directory: string }>(cluster, port, 'SHOW data_directory');
    return row?.data_directory === cluster.data ? 'ours' : 'another';
  } catch (error) {
    const { code } = error as { code?: string };
    // 57P03 cannot connect now, 57P01 closing, 53300 too many connections, 28xxx not our password.
    if (code === '57P03' || code === '57P01' || code === '53300') return 'busy';
    return code?.startsWith('28') ? 'another' : 'silent';
  }
}

async function ensureDatabase(cluster: Cluster, port: number): Promise<void> {
  const there = await query(cluster, port, `SELECT FROM pg_database WHERE datname = '${DATABASE}'`);
  if (there.length === 0) await query(cluster, port, `CREATE DATABASE ${DATABASE}`);
}

async function query<Row extends QueryResultRow>(
  cluster: Cluster,
  port: number,
  sql: string,
): Promise<Row[]> {
  const client = new Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    connectionTimeoutMillis: 2_000,
    query_timeout: 20_000,
  });
  // A connection that breaks while idle says so here; the call that needs it fails by itself.
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    void client.end().catch(() => {});
  }
}

async function start(cluster: Cluster, clock: Clock): Promise<number> {
  disarmStalePidFile(cluster);
  const giveUpAtMs = clock.monotonicMs() + START_TIMEOUT_MS;
  for (const port of portsFor(cluster)) {
    if (!(await isFree(port))) continue;
    let said = await launch(cluster, port, clock);
    while (said?.includes('shared memory block') && clock.monotonicMs() < giveUpAtMs) {
      // The server was killed and some of its backends have not noticed yet.
      await clock.sleep(200);
      said = await launch(cluster, port, clock);
    }
    if (said === null) return port;
    // Another server took the port between our look and Postgres's own.
    if (!/address already in use|could not bind/i.test(said)) {
      throw failure(cluster, 'the embedded database does not start');
    }
  }
  throw failure(cluster, `no free port from ${FIRST_PORT} to ${FIRST_PORT + PORTS}`);
}

/** Starts the server and waits until it is ready: null, or what it wrote to its log before it ended. */
async function launch(cluster: Cluster, port: number, clock: Clock): Promise<string | null> {
  const { data, logFile, binaries } = cluster;
  if ((statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > 16_000_000) {
    renameSync(logFile, `${logFile}.1`);
  }
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(logFile, 'a', 0o600);
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(binaries.postgres, ['-D', data, ...settings], {
    ...binaries.runAs,
    cwd: '/',
    // A group of its own: Ctrl-C in the terminal is for the service, which still needs its database.
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
  });
  closeSync(log);
  let ended: string | null = null;
  child.once('error', (error) => (ended = error.message));
  const readLog = () => (ended = readFileSync(logFile, 'utf8').slice(logStart));
  child.once('exit', readLog);
  child.unref();

  const giveUpAtMs = clock.monotonicMs() + START_TIMEOUT_MS;
  for (;;) {
    if (ended !== null) return ended;
    const found = readPidFile(cluster);
    if (found?.pid === child.pid && found?.ready) {
      // How it ends one day is no concern of this start; its directory may be gone by then.
      child.off('exit', readLog);
      return null;
    }
    if (clock.monotonicMs() > giveUpAtMs) {
      child.kill('SIGQUIT');
      throw failure(cluster, `the embedded database was not ready within ${START_TIMEOUT_MS} ms`);
    }
    await clock.sleep(5);
  }
}

/**
 * Postgres takes any process under the pid in postmaster.pid for a running server, be it a stranger
 * or a zombie, and there is none (`isServerOf`). Removing the file would also remove its trace of shared memory, by which
 * Postgres refuses to start beside backends that a killed server left behind. So only the pid is
 * replaced, by ours: a file that names the server's own parent is stale to it.
 */
function disarmStalePidFile(cluster: Cluster): void {
  const file = join(cluster.data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const content = readFileSync(file, 'utf8');
  if (content.trim() === '') rmSync(file);
  else writeFileSync(file, content.replace(/^\d+/, String(process.pid)));
}

/** The port it had, then others from a place that the path decides, so that checkouts keep apart. */
function* portsFor({ home, data }: Cluster): Generator<number> {
  try {
    const kept = Number(readFileSync(join(home, 'postgres.port'), 'utf8'));
    if (kept >= FIRST_PORT && kept < FIRST_PORT + PORTS) yield kept;
  } catch {
    // The first start.
  }
  const seed = createHash('sha256').update(data).digest().readUInt32BE(0);
  for (let i = 0; i < 500; i++) yield FIRST_PORT + ((seed + i * 7) % PORTS);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Ends the server, first as asked, then harder. What was committed survives each of them. */
async function end(cluster: Cluster, pid: number, clock: Clock, steps: typeof STOP): Promise<void> {
  for (const [signal, waitMs] of steps) {
    const giveUpAtMs = clock.monotonicMs() + waitMs;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    while (isServerOf(cluster, pid)) {
      if (clock.monotonicMs() > giveUpAtMs) break;
      await clock.sleep(5);
    }
    if (!isServerOf(cluster, pid)) return;
  }
  throw failure(cluster, `process ${pid}, the embedded database, does not end`);
}

function urlOf({ password }: Cluster, port: number, database: string): string {
  return `postgresql://${SUPERUSER}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

function failure({ logFile }: Cluster, what: string): Error {
  let tail = '(no log)';
  try {
    tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-15).join('\n');
  } catch {
    // Said by "(no log)".
  }
  return new Error(`${what}\nThe end of ${logFile}:\n${tail}`);
}
