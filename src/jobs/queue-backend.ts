import pg from 'pg';
import {
  createPostgresBackend,
  type Job,
  Queue,
  runMigrations,
  withBackend,
  Worker,
  type WorkerOptions as BullWorkerOptions,
} from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { once } from 'node:events';
import { type Clock, SystemClock } from '../core/clock.js';
import { BOUNDED, ignoreConnectionErrors } from '../database/connection.js';
import { type QueuedJob } from './queued-job.js';
import { withTimeout } from '../core/time-limit.js';

/** A queue as the same code uses it on either backend. */
export type JobQueue = Pick<
  Queue<QueuedJob, void>,
  | 'add'
  | 'addBulk'
  | 'getRanges'
  | 'getJobState'
  | 'getJobCounts'
  | 'getJobSchedulers'
  | 'upsertJobScheduler'
  | 'removeJobScheduler'
  | 'waitUntilReady'
  | 'close'
>;
export type JobInHand = Pick<
  Job<QueuedJob, void>,
  'id' | 'name' | 'data' | 'stalledCounter' | 'moveToWait' | 'moveToDelayed' | 'updateData'
>;
export type Process = (job: JobInHand, token: string) => Promise<void>;
export type JobWorker = Pick<
  Worker<QueuedJob, void>,
  'waitUntilReady' | 'pause' | 'resume' | 'close' | 'disconnect'
>;

export interface JobWorkerOptions {
  readonly concurrency: number;
  /** How long a job stays locked without a renewal; it is renewed at half of that time. */
  readonly lockMs: number;
  /** How often jobs are looked for whose process gave no sign of life. */
  readonly stalledMs: number;
  readonly onError: (error: Error) => void;
}

/** The backend of queues: Postgres or Redis. */
export interface QueueBackend {
  readonly name: 'postgres' | 'redis';
  /** Whether it can answer now. */
  isUp(): boolean;
  queue(name: string, onError: (error: Error) => void): JobQueue;
  worker(name: string, process: Process, options: JobWorkerOptions): JobWorker;
  /** After its queues and workers. */
  close(): Promise<void>;
}

interface QueueBackendOptions {
  readonly databaseUrl: string;
  /** Null: Postgres. */
  readonly redisUrl: string | null;
  readonly clock: Clock;
  /** How many workers this process opens. */
  readonly workers: number;
  /** Handles errors of connections that no call waits for. */
  readonly onError: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Longer than the server lets a statement run. */
const QUERY_TIMEOUT_MS = 15_000;
/** The longest that a worker waits in one command for a job; half of the timeout below. */
const WORKER_WAIT_S = 5;
const WORKER_COMMAND_TIMEOUT_MS = 20_000;
const COMMAND_TIMEOUT_MS = 5_000;
const MAX_RECONNECT_MS = 1_000;
/** Connections for commands of all queues and workers, beside the one that each worker listens on. */
const POSTGRES_SHARED = 6;
/** BullMQ keeps so many events of each queue, which nothing here reads. */
const EVENTS_KEPT = 100;
const REDIS_PREFIX = 'payonce';
const RECONNECT_ONLY = 1;
/** The options of BullMQ. */
const MACHINE = new SystemClock();
/** A start waits this long for Redis, and then continues without it. */
const FIRST_CONNECT_MS = 2_000;

/** The same classes, over Postgres. */
const OnPostgres = withBackend(createPostgresBackend);

/** Opens the backend. On Postgres its schema is brought up to date first; Redis may be away. */
export async function openQueueBackend(options: QueueBackendOptions): Promise<QueueBackend> {
  return options.redisUrl === null ? openPostgres(options) : openRedis(options, options.redisUrl);
}

const streams = { events: { maxLen: EVENTS_KEPT } };

function bullOptions({
  concurrency,
  lockMs,
  stalledMs,
}: JobWorkerOptions): Omit<BullWorkerOptions, 'connection'> {
  return {
    concurrency,
    lockDuration: lockMs,
    stalledInterval: stalledMs,
    // The runner handles jobs that stalled too often.
    maxStalledCount: 1_000_000,
    drainDelay: WORKER_WAIT_S,
    runRetryDelay: 1_000,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  };
}

async function openPostgres({
  databaseUrl,
  workers,
  clock,
  onError,
}: QueueBackendOptions): Promise<QueueBackend> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: workers + POSTGRES_SHARED,
    application_name: 'payonce-queue',
    onConnect: prepare,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
  });
  // Every queue and worker listens for the errors of the pool.
  pool.setMaxListeners(100);
  pool.on('error', onError);
  const end = poolTerminator(pool, clock);
  try {
    await migrateQueues(databaseUrl);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    name: 'postgres',
    isUp: () => true,
    queue(name, onQueueError) {
      const queue = new OnPostgres.Queue<QueuedJob, void>(name, { connection: pool, streams });
      queue.on('error', onQueueError);
      return queue;
    },
    worker(name, process, options) {
      const worker = new OnPostgres.Worker<QueuedJob, void>(name, (job, token) => process(job, token ?? ''), {
        connection: pool,
        ...bullOptions(options),
      });
      worker.on('error', options.onError);
      return worker;
    },
    // A worker of BullMQ that is closed just as it begins takes the connection that it listens on
    // afterwards, and never gives it back.
    close: end,
  };
}

/**
 * The queue need not wait for the disk. A crash loses the end of the log: what it held of a job done is done again; and no
 * staged row is deleted for good whose job, written before it, is not on disk too. Statements of a connection run in order:
 * those of the queue run after these.
 */
function prepare(client: pg.ClientBase): void {
  ignoreConnectionErrors(client);
  const settings = ['SET search_path = bullmq, public', 'SET synchronous_commit = off', BOUNDED];
  client.query(settings.join('; ')).catch(() => {});
}

/**
 * BullMQ's own migrations, in its schema; it lets one process at a time do them. The schema is there (migration 0176),
 * and Postgres asks for the right to make one even so: that statement is left out.
 */
async function migrateQueues(connectionString: string): Promise<void> {
  const client = new pg.Client({
    connectionString,
    application_name: 'payonce-queue',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: 60_000,
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<pg.QueryResult>;
    const makesSchema = (text: string) => text.startsWith('CREATE SCHEMA');
    await runMigrations({
      query: async (text: string, values?: unknown[]) => query(makesSchema(text) ? 'SELECT' : text, values),
    });
  } finally {
    await client.end();
  }
}

async function openRedis({ clock, onError }: QueueBackendOptions, redisUrl: string): Promise<QueueBackend> {
  // Commands of queues are answered or refused; none waits here for an unreachable server.
  const commands = redisOf(redisUrl, {
    connectionName: 'payonce-queue',
    commandTimeout: COMMAND_TIMEOUT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  });
  // Workers wait for an unreachable server, as BullMQ requires. The ones that block are copies of this.
  const working = redisOf(redisUrl, {
    connectionName: 'payonce-worker',
    // Workers begin when the connection above is there: a server that refuses every connection is asked by one.
    lazyConnect: true,
    commandTimeout: WORKER_COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: null,
  });
  for (const redis of [commands, working]) redis.on('error', onError);
  await readyOrLate(commands, clock);
  const shared = { prefix: REDIS_PREFIX, streams };
  return {
    name: 'redis',
    isUp: () => commands.status === 'ready',
    queue(name, onQueueError) {
      const queue = new Queue<QueuedJob, void>(name, { connection: commands, ...shared });
      queue.on('error', onQueueError);
      return queue;
    },
    worker(name, process, options) {
      const worker = new Worker<QueuedJob, void>(name, (job, token) => process(job, token ?? ''), {
        connection: working,
        prefix: REDIS_PREFIX,
        ...bullOptions(options),
      });
      worker.on('error', options.onError);
      return worker;
    },
    close: async () => {
      for (const redis of [commands, working]) redis.disconnect();
      await Promise.resolve();
    },
  };
}

/** Resolves when it is connected, or when that takes so long that it may never be. */
async function readyOrLate(redis: Redis, clock: Clock): Promise<void> {
  const ready = new AbortController();
  const late = clock.sleep(FIRST_CONNECT_MS, ready.signal).catch(() => {});
  await Promise.race([once(redis, 'ready', ready).catch(() => {}), late]);
  ready.abort(new Error('no more waiting'));
}

/** Goes on trying to connect for ever; a server that may only be read from is left and looked for anew. */
function redisOf(url: string, options: RedisOptions): Redis {
  let isLeaving = false;
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    disconnectTimeout: 500,
    keepAlive: 10_000,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RECONNECT_MS),
    // Once for each connection: else it would be left anew with every refused command.
    reconnectOnError: (error) => {
      if (isLeaving || !error.message.includes('READONLY')) return false;
      isLeaving = true;
      return RECONNECT_ONLY;
    },
    ...options,
  });
  redis.on('ready', () => {
    isLeaving = false;
  });
  return redis;
}

/** Lets a job in hand wait where it is. BullMQ judges by the machine's clock, which ours may be set off from. */
export async function delayInPlace(job: JobInHand, delayMs: number, token: string): Promise<void> {
  await job.moveToDelayed(MACHINE.now().getTime() + delayMs, token);
}

const PATIENCE_MS = 1_000;

/**
 * Returns the function that ends a pool in time; to be made with the pool. By itself a pool waits for ever for
 * connections that are never given back; here it waits a second, and then closes them.
 */
export function poolTerminator(pool: pg.Pool, clock: Clock): () => Promise<void> {
  const clients = new Set<pg.PoolClient>();
  pool.on('connect', (client) => void clients.add(client));
  pool.on('remove', (client) => void clients.delete(client));
  return async () => {
    try {
      await withTimeout(clock, PATIENCE_MS, 'ending a pool', pool.end());
    } catch {
      const left = [...clients].map((client) => client.end());
      await withTimeout(clock, PATIENCE_MS, 'leaving Postgres', Promise.all(left)).catch(() => {});
    }
  };
}
