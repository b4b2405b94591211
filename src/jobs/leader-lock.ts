import pg from 'pg';
import { type Clock } from '../core/clock.js';
import { STAGED_CHANNEL } from '../database/commit/waker.js';

interface LeaderLockOptions {
  readonly databaseUrl: string;
  readonly clock: Clock;
  /** After this long without a statement the server ends the session, and the lock with it. */
  readonly silenceMs: number;
  /** Well below `silenceMs`. */
  readonly heartbeatMs: number;
}

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Makes one process the leader, which relays staged jobs: a session's advisory lock, on a connection that
 * does nothing else but listen for wake-ups. A holder that dies loses its connection and so the lock; one
 * that is frozen falls silent, and the server ends its session.
 */
export class LeaderLock {
  private client: pg.Client | null = null;
  private heldUntilMs = 0;
  private isHeld = false;
  private onWake: () => void = () => {};
  private woken = false;

  constructor(private readonly options: LeaderLockOptions) {}

  /** Tries to become the leader; false where another process is. @throws when the database is away */
  async take(): Promise<boolean> {
    if (this.holds()) return true;
    const client = this.client ?? (await this.connect());
    try {
      const { rows } = await client.query<{ taken: boolean }>(
        `SELECT pg_try_advisory_lock(hashtext('payonce'), hashtext('enqueuer')) AS taken`,
      );
      this.isHeld = rows[0]!.taken;
      this.renewed();
      return this.isHeld;
    } catch (error) {
      this.drop(client);
      throw error;
    }
  }

  /** Whether the lock is surely held: the server answered within the time after which it ends a silent session. */
  holds(): boolean {
    return this.isHeld && this.client !== null && this.options.clock.monotonicMs() < this.heldUntilMs;
  }

  /** Keeps the session alive. @throws when it is lost */
  async keepAlive(): Promise<void> {
    const { client } = this;
    if (!client) throw new Error('the session is lost');
    try {
      await client.query('SELECT 1');
      this.renewed();
    } catch (error) {
      this.drop(client);
      throw error;
    }
  }

  /** Resolves when a commit has staged jobs, at once where one has since the last call. */
  async nextWakeUp(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.woken || signal.aborted) return resolve();
      this.onWake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.woken = false;
  }

  /** Another process may become the leader at once. */
  async release(): Promise<void> {
    const { client } = this;
    if (client) this.drop(client);
    await Promise.resolve();
  }

  private renewed(): void {
    // The server counts from when it last heard of us, which is before its answer was here.
    this.heldUntilMs = this.options.clock.monotonicMs() + this.options.silenceMs - this.options.heartbeatMs;
  }

  private async connect(): Promise<pg.Client> {
    const { databaseUrl, silenceMs } = this.options;
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'payonce-enqueuer',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: Math.min(5_000, silenceMs),
      keepAlive: true,
    });
    const forget = () => this.drop(client);
    client.on('error', forget);
    client.on('end', forget);
    client.on('notification', () => {
      this.woken = true;
      this.onWake();
    });
    try {
      await client.connect();
      await client.query(`SET idle_session_timeout = ${silenceMs}; LISTEN ${STAGED_CHANNEL}`);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    this.client = client;
    return client;
  }

  private drop(client: pg.Client): void {
    if (this.client === client) {
      this.client = null;
      this.isHeld = false;
      this.onWake();
    }
    client.end().catch(() => {});
  }
}
