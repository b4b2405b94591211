import { Redis } from 'ioredis';
import { type CallLock, type CallStore, CallStoreUnavailable, type Hold, type Taken } from './call-store.js';

export interface RedisCallStoreOptions {
  /** `redis://` or `rediss://`, of Redis 7.0 or newer (SET with both NX and GET). */
  readonly url: string;
  /** How long one step may take. Default 2 s. Make it less than 3/10 of the shortest lockTtl. */
  readonly timeoutMs?: number;
}

/** 1: the value is there. 0: something else is. -1: nothing is. All compare and then act, at once. */
const RECORD = `
local there = redis.call('GET', KEYS[1])
if there == ARGV[1] then redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) return 1 end
if there == ARGV[2] then return 1 end
if there then return 0 end
return -1`;
const EXTEND = `
local there = redis.call('GET', KEYS[1])
if there == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) return 1 end
if there then return 0 end
return -1`;
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;
const LASTS = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PTTL', KEYS[1]) end
return 0`;

const HOLDS: ReadonlyMap<unknown, Hold> = new Map<unknown, Hold>([
  [1, 'held'],
  [0, 'taken_over'],
  [-1, 'gone'],
]);
const FIRST_RECONNECT_MS = 25;
const MAX_RECONNECT_MS = 1_000;
const READ_ONLY = /^READONLY/;
/** Reconnect and do not send the refused command again: the name may lead to the new primary by now. */
const RECONNECT_ONLY = 1;

/**
 * Calls that Redis remembers, each as one string that expires by itself:
 *
 *     run <token> <fingerprint>            a lock, for lockTtl
 *     end <token> <fingerprint> <record>   an answer, for the retention
 *
 * What Redis forgets (flush, eviction, failover, a crash) is forgotten here, and the handler runs
 * again: README.md says when that can be.
 */
export class RedisCallStore implements CallStore {
  /** A lock that lapsed leaves nothing that the next one could find. */
  readonly takeOverSeenBy = 'loser';

  private constructor(private readonly redis: Redis) {}

  /** Rejects with CallStoreUnavailable, or with RangeError where the server is too old. */
  static async open({ url, timeoutMs = 2_000 }: RedisCallStoreOptions): Promise<RedisCallStore> {
    // Once for each connection: ioredis would begin to leave it anew with every refused command.
    let isLeaving = false;
    const leave = (error: Error) => {
      if (isLeaving || !READ_ONLY.test(error.message)) return false;
      isLeaving = true;
      return RECONNECT_ONLY;
    };
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: timeoutMs,
      // How long a connection that we left may stay half open, and a process that is done with it wait.
      disconnectTimeout: 500,
      commandTimeout: timeoutMs,
      // A step is answered for or it is not: none waits in here for a server that is away, and none is
      // sent a second time by the client.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (times) => Math.min(FIRST_RECONNECT_MS * 2 ** Math.min(times, 10), MAX_RECONNECT_MS),
      reconnectOnError: leave,
      connectionName: 'payonce-idempotency',
    });
    // The next command hears of its loss; without a listener ioredis writes to the console.
    redis.on('error', () => {});
    redis.on('ready', () => {
      isLeaving = false;
    });
    const store = new RedisCallStore(redis);
    try {
      await store.step(redis.connect());
      const version = /redis_version:(\d+)\./.exec(await store.step(redis.info('server')))?.[1];
      if (Number(version) < 7) throw new RangeError(`Redis 7.0 or newer is needed, not ${version}`);
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    return store;
  }

  async take(lock: CallLock, ttlMs: number): Promise<Taken> {
    const ours = runOf(lock);
    const there = await this.step(this.redis.set(lock.name, ours, 'PX', ttlMs, 'NX', 'GET'));
    // Our own token is there when a SET of ours arrived whose reply did not.
    if (there === null || there === ours) return { state: 'taken', tookOver: false };
    const [kind, , fingerprint, ...rest] = there.split(' ');
    if (kind === 'run' && fingerprint) {
      return { state: 'running', fingerprint, lastsMs: () => this.lastsMs(lock.name, there) };
    }
    // What another program wrote is no record: reading it shows that.
    const isEnd = kind === 'end' && fingerprint !== undefined;
    return { state: 'done', fingerprint: isEnd ? fingerprint : '-', record: isEnd ? rest.join(' ') : '' };
  }

  async extend(lock: CallLock, ttlMs: number): Promise<Hold> {
    return holdOf(await this.step(this.redis.eval(EXTEND, 1, lock.name, runOf(lock), ttlMs)));
  }

  async record(lock: CallLock, record: string, retentionMs: number): Promise<Hold> {
    const end = `end ${lock.token} ${lock.fingerprint} ${record}`;
    return holdOf(await this.step(this.redis.eval(RECORD, 1, lock.name, runOf(lock), end, retentionMs)));
  }

  async release(lock: CallLock): Promise<void> {
    await this.step(this.redis.eval(RELEASE, 1, lock.name, runOf(lock)));
  }

  close(): void {
    this.redis.disconnect();
  }

  private async lastsMs(name: string, there: string): Promise<number> {
    return Math.max(0, Number(await this.step(this.redis.eval(LASTS, 1, name, there))));
  }

  private async step<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (error) {
      throw new CallStoreUnavailable(error);
    }
  }
}

function runOf(lock: CallLock): string {
  return `run ${lock.token} ${lock.fingerprint}`;
}

function holdOf(reply: unknown): Hold {
  const hold = HOLDS.get(reply);
  if (!hold) throw new CallStoreUnavailable(new Error('a reply that no script of ours gives'));
  return hold;
}
