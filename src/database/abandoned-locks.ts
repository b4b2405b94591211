import type pg from 'pg';
import { type Logger } from 'pino';
import { type Clock } from '../core/clock.js';
import { PROCESS_CLASS } from './process-session.js';

const LOOK_MS = 500;
/** A process that is not there for so long is dead: one that lost its session ends its calls meanwhile. */
const GRACE_MS = 1_000;
const QUERY_TIMEOUT_MS = 5_000;
/** Locks of a process that this one never saw alive are looked for so often. */
const LOOK_AT_ALL_MS = 5_000;
/** A process that is gone may still have a commit under way, which takes a lock: locks are read for so long after it. */
const LOOK_ON_MS = 2_000;

/** The numbers of the processes that are there. A process draws each number once. */
const ALIVE = `
SELECT l.objid::bigint AS number FROM pg_locks l
 WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = ${PROCESS_CLASS}
   AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** `$1` how long a lock lasts. What is locked is due within that time, so that two indexes find it. */
const LOCKED = {
  keys: `lock_token IS NOT NULL AND resumable_at > statement_timestamp()
         AND resumable_at <= statement_timestamp() + $1 * interval '1 millisecond'`,
  routes: `verdict = 'open' AND leased_by IS NOT NULL AND leased_until > statement_timestamp()
         AND next_step_at <= statement_timestamp() + $1 * interval '1 millisecond'`,
  turns: `leased_by IS NOT NULL AND leased_until > statement_timestamp()`,
} as const;

/** `$2` the processes that are there. */
const ABSENT = `
WITH holders AS (
  SELECT lock_token AS token FROM idempotency_keys WHERE ${LOCKED.keys}
  UNION ALL SELECT leased_by FROM psp_requests WHERE ${LOCKED.routes}
  UNION ALL SELECT leased_by FROM schedules WHERE ${LOCKED.turns})
SELECT DISTINCT number FROM holders CROSS JOIN LATERAL (SELECT payonce_process_of(token) AS number) n
 WHERE number IS NOT NULL AND number <> ALL ($2::bigint[])`;

/** Ends the locks, and leaves the tokens: a holder that is not dead after all is refused by the run that took over. */
const RELEASE = `
WITH keys AS (
  UPDATE idempotency_keys SET resumable_at = statement_timestamp()
   WHERE ${LOCKED.keys} AND payonce_process_of(lock_token) = ANY($2) RETURNING 1),
routes AS (
  UPDATE psp_requests SET leased_until = statement_timestamp(), next_step_at = statement_timestamp()
   WHERE ${LOCKED.routes} AND payonce_process_of(leased_by) = ANY($2) RETURNING 1),
turns AS (
  UPDATE schedules SET leased_until = statement_timestamp()
   WHERE ${LOCKED.turns} AND payonce_process_of(leased_by) = ANY($2) RETURNING 1)
SELECT (SELECT count(*) FROM keys)::int AS keys, (SELECT count(*) FROM routes)::int AS routes,
       (SELECT count(*) FROM turns)::int AS turns`;

/**
 * Ends the locks of processes that have died, within 2 s and in every process: keys, routes and turns at
 * periodic tasks. What was in flight stays in doubt for as long as it may be on its way. Which processes are there is
 * read twice a second, and the locks when one of them is gone: under load, thousands of locks come and go.
 */
export class AbandonedLocks {
  private readonly stopping = new AbortController();
  private readonly absentSince = new Map<number, number>();
  private alive: ReadonlySet<number> = new Set();
  private lookedAtAllMs = -Infinity;
  private looksUntilMs = -Infinity;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly deps: {
      readonly pool: Pick<pg.Pool, 'query'>;
      readonly clock: Clock;
      readonly logger: Logger;
      readonly leaseMs: number;
    },
  ) {}

  start(): void {
    this.running = this.keepLooking();
  }

  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopping'));
    await this.running;
  }

  private async keepLooking(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // A database that is away keeps locks as they are.
      await this.look().catch(() => {});
      await this.deps.clock.sleep(LOOK_MS, signal).catch(() => {});
    }
  }

  private async look(): Promise<void> {
    const { clock, logger, leaseMs } = this.deps;
    const alive = new Set((await this.query<{ number: number }>(ALIVE, [])).map(({ number }) => number));
    const askedMs = clock.monotonicMs();
    if ([...this.alive].some((number) => !alive.has(number))) this.looksUntilMs = askedMs + LOOK_ON_MS;
    const isDue = askedMs < this.looksUntilMs || askedMs - this.lookedAtAllMs >= LOOK_AT_ALL_MS;
    if (!isDue && this.absentSince.size === 0) {
      this.alive = alive;
      return;
    }
    const absent = (await this.query<{ number: number }>(ABSENT, [leaseMs, [...alive]])).map(
      ({ number }) => number,
    );
    this.alive = alive;
    const now = clock.monotonicMs();
    this.lookedAtAllMs = now;
    for (const number of this.absentSince.keys())
      if (!absent.includes(number)) this.absentSince.delete(number);
    for (const number of absent) if (!this.absentSince.has(number)) this.absentSince.set(number, now);
    const dead = absent.filter((number) => now - this.absentSince.get(number)! >= GRACE_MS);
    if (dead.length === 0) return;
    const [released] = await this.query<Record<'keys' | 'routes' | 'turns', number>>(RELEASE, [
      leaseMs,
      dead,
    ]);
    logger.warn({ processes: dead, ...released }, 'took the locks of a process that died');
  }

  private async query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    const timed: pg.QueryConfig & { query_timeout: number } = {
      text,
      values,
      query_timeout: QUERY_TIMEOUT_MS,
    };
    return (await this.deps.pool.query<Row>(timed)).rows;
  }
}
