import pg from 'pg';
import { type DatabaseClock } from '../core/database-clock.js';
import { ignoreConnectionErrors } from './connection.js';
import { DatabaseUnavailable } from './database.js';
import { HOLD, noticeOtherDatabase } from './failover-hold.js';
import { type Hold } from '../core/hold.js';
import { type Ids } from '../core/ids.js';
import { type LockHolder } from '../core/lock-holder.js';
import { repeat } from '../core/repeat.js';
import { VERSION } from '../core/version.js';

const BEAT_MS = 500;
/** A session that says nothing for so long is given up, and another one opened. */
const ANSWER_TIMEOUT_MS = 3_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Number of time samples at the start. Samples with a slow round trip do not count. */
const MAX_FIRST_BEATS = 10;
/**
 * Without an answer for so long, the server may have ended the session already. Shorter than its own
 * patience, which is 5 s and three probes of 2 s.
 */
const SURE_MS = 5_000;
/** Without an answer for so long, another server may have taken its place already. */
const SURE_OF_COMMITS_MS = 2_000;
const PROBES = 'SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3';

/** The first key of the advisory locks that processes hold on their numbers. */
export const PROCESS_CLASS = 1_886_546_035;
/** The name of its session in the database, followed by the version. */
export const PROCESS_NAME = 'payonce-process ';
const TAKE_NUMBER = `
SELECT n AS number, pg_try_advisory_lock(${PROCESS_CLASS}, n) AS taken, pg_backend_pid() AS pid
  FROM (SELECT nextval('process_numbers')::integer AS n) AS drawn`;

export interface ProcessSessionOptions {
  /** A promoted standby has every commit. */
  readonly isStandbySynchronous?: boolean;
  /** Called with what is held, whenever the database says something else than before. Must not throw. */
  readonly onHold?: (hold: Hold) => void;
}

interface Held {
  readonly number: number;
  readonly pid: number;
}

/**
 * A connection of this process's own on which it does nothing but ask the database for the time, twice a
 * second, and by which it shows that it lives: the session holds an advisory lock on a number that stands
 * in every lock token that the process draws. When the process is killed, its socket closes and the lock is
 * gone at once; a process that only stands still keeps it. A process that loses its session holds nothing
 * any more that it took in it, and draws its tokens under another number from then on. Without a number
 * (behind a pooler that hands connections round) locks end by time alone.
 */
export class ProcessSession implements LockHolder {
  private client: pg.Client | null = null;
  private held: Held | null = null;
  private isPooled = false;
  private lastHold: Hold = 'unknown';
  private heardMs = -Infinity;
  private heardWallMs = -Infinity;
  private beating: Promise<void> = Promise.resolve();
  private readonly closing = new AbortController();

  constructor(
    private readonly url: string,
    private readonly clock: DatabaseClock,
    private readonly ids: Ids,
    private readonly options: ProcessSessionOptions = {},
  ) {}

  /** Resolves once the database's time is known. @throws DatabaseUnavailable */
  async start(): Promise<void> {
    for (let tries = 1; this.clock.differenceMs() === null; tries++) {
      if (tries > MAX_FIRST_BEATS)
        throw new DatabaseUnavailable('the database answers too slowly to say what time it is');
      await this.beat();
    }
    // Without answers the clock is not trusted; the next beat connects anew.
    const beat = () => this.beat().catch(() => {});
    this.beating = repeat(this.clock, this.closing.signal, () => BEAT_MS, beat);
  }

  async close(): Promise<void> {
    this.closing.abort(new Error('closing'));
    await this.beating;
    const { client } = this;
    this.client = null;
    await client?.end().catch(() => {});
  }

  newToken(): string {
    const token = this.ids.uuid();
    if (!this.held) return token;
    const number = this.held.number.toString(16).padStart(8, '0');
    return `${number}${token.slice(8, 14)}8${token.slice(15)}`;
  }

  holds(token: string): boolean {
    if (token[14] !== '8') return true;
    const isSure =
      this.clock.monotonicMs() - this.heardMs <= SURE_MS && this.clock.wallMs() - this.heardWallMs <= SURE_MS;
    return isSure && this.held?.number === Number.parseInt(token.slice(0, 8), 16);
  }

  hold(): Hold {
    return this.clock.monotonicMs() - this.heardMs > SURE_OF_COMMITS_MS ? 'unknown' : this.lastHold;
  }

  private async beat(): Promise<void> {
    const client = this.client ?? (await this.connect());
    try {
      const [askedMs, askedWallMs] = [this.clock.monotonicMs(), this.clock.wallMs()];
      const { pid, hold } = await learnTime(this.clock, client);
      this.learnHold(hold);
      if (this.held && this.held.pid !== pid) {
        // Another session answers: what goes between hands connections round, and a lock says nothing.
        this.held = null;
        this.isPooled = true;
      }
      [this.heardMs, this.heardWallMs] = [askedMs, askedWallMs];
    } catch (error) {
      this.drop(client);
      throw error;
    }
  }

  private learnHold(hold: Hold): void {
    const before = this.lastHold;
    this.lastHold = hold;
    if (hold !== before) this.options.onHold?.(hold);
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: `${PROCESS_NAME}${VERSION}`,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      keepAlive: true,
    });
    ignoreConnectionErrors(client);
    client.on('end', () => this.drop(client));
    try {
      await client.connect();
      await noticeOtherDatabase(client, this.options.isStandbySynchronous);
      if (!this.isPooled) this.held = await takeNumber(client);
    } catch (error) {
      this.drop(client);
      throw error;
    }
    return (this.client = client);
  }

  private drop(client: pg.Client): void {
    if (this.client === client) this.client = null;
    if (this.client === null) [this.held, this.lastHold] = [null, 'unknown'];
    client.end().catch(() => {});
  }
}

const BEAT = `
SELECT clock_timestamp() AS now, pg_backend_pid() AS pid, ${HOLD} AS hold`;

interface Beat {
  readonly now: Date;
  readonly pid: number;
  readonly hold: Hold;
}

/** Asks the database for its time, once. */
export async function learnTime(clock: DatabaseClock, sql: Pick<pg.ClientBase, 'query'>): Promise<Beat> {
  const askedMs = clock.monotonicMs();
  const { rows } = await sql.query<Beat>(BEAT);
  clock.learn(askedMs, rows[0]!.now);
  return rows[0]!;
}

async function takeNumber(client: pg.Client): Promise<Held | null> {
  await client.query(PROBES);
  const { rows } = await client.query<Held & { taken: boolean }>(TAKE_NUMBER);
  const { number, taken, pid } = rows[0]!;
  return taken ? { number, pid } : null;
}
