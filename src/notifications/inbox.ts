import { Injectable } from '@nestjs/common';
import { Pool, type QueryConfig, type QueryResult, type QueryResultRow } from 'pg';
import { Clock } from '../core/clock.js';
import { STAGED_CHANNEL } from '../database/commit/waker.js';
import { Ids } from '../core/ids.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type JobKind } from '../jobs/job-kind.js';
import { jobIdOf } from '../jobs/staged-jobs.js';
import { type NotificationItem, type PspNotification } from '../psp/notification.js';
import { type NotificationOutcome } from '../request-storage/decisions/record-notification.js';

/** Names one try at a notification. Another try is another job, so that the queue does not mix them up. */
export type ApplyArgs = {
  readonly psp: string;
  readonly eventId: string;
  readonly tries: number;
};

/** A notice at the account that it came for. */
export interface Arrived extends PspNotification {
  readonly psp: string;
  /** The trace of the request that brought it, if traced: its job continues that trace. */
  readonly traceparent?: string;
}

/** A notification that is not decided yet. */
export interface Undecided {
  readonly type: string;
  readonly facts: readonly NotificationItem[];
  readonly taken: readonly NotificationOutcome[];
  readonly tries: number;
  readonly nextAt: Date;
  readonly traceId: string;
}

export type BreakReason = 'operation_unknown' | 'contradiction';

/** The result of a try. */
export type Decision =
  | { readonly state: 'applied' | 'ignored' }
  | { readonly state: 'break'; readonly reason: BreakReason }
  | { readonly state: 'received'; readonly nextAt: Date };

/**
 * A PSP waits 10 s for its answer (Adyen). A frozen server times out before that, also for a request that had to
 * wait for an earlier statement (arrivals.ts).
 */
const QUERY_TIMEOUT_MS = 4_000;

/** The notifications of PSPs in Postgres. Hand-written SQL; every method is one round trip. */
@Injectable()
export class Inbox {
  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Stores the new ones, with a job for each and the wake-up of the outbox relay: all or nothing. Returns those
   * that are new. No two may be the same. @throws StoreUnavailable
   */
  async store<Given extends Arrived>(
    arrived: readonly Given[],
    kind: JobKind<ApplyArgs>,
  ): Promise<ReadonlySet<Given>> {
    // In one order, so that two statements with the same rows cannot deadlock.
    const sorted = arrived.toSorted((a, b) => compare(a.psp, b.psp) || compare(a.eventId, b.eventId));
    const { rows } = await this.query<{ stored: number[] }>({
      name: 'webhook_inbox_store',
      text: `WITH given AS (
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::text[], $6::timestamptz[], $7::text[], $8::uuid[], $9::text[], $13::jsonb[])
             WITH ORDINALITY AS g (psp, event_id, type, facts, entity_key, occurred_at, trace_id, job, job_id, args, n)
       ), stored AS (
         INSERT INTO webhook_inbox (psp, event_id, type, facts, entity_key, occurred_at, received_at, trace_id, next_at)
         SELECT psp, event_id, type, facts, entity_key, occurred_at, $10::timestamptz, trace_id, $10
           FROM given ORDER BY n
         ON CONFLICT DO NOTHING
         RETURNING psp, event_id
       ), staged AS (
         INSERT INTO staged_jobs (id, kind, job_id, args, staged_at)
         SELECT job, $11, job_id, args, $10
           FROM given JOIN stored USING (psp, event_id)
       )
       SELECT array(SELECT n::int FROM given JOIN stored USING (psp, event_id)) AS stored,
              CASE WHEN EXISTS (SELECT FROM stored) THEN pg_notify($12, '') END`,
      values: [
        sorted.map(({ psp }) => psp),
        sorted.map(({ eventId }) => eventId),
        sorted.map(({ type }) => type),
        sorted.map(({ facts }) => JSON.stringify(facts)),
        sorted.map(({ facts }) => facts.find(({ entityKey }) => entityKey !== null)?.entityKey ?? null),
        sorted.map(({ occurredAt }) => occurredAt),
        sorted.map(() => this.ids.uuid()),
        sorted.map(() => this.ids.uuid()),
        sorted.map(({ psp, eventId }) => jobIdOf(kind, { psp, eventId, tries: 0 })),
        this.clock.now(),
        kind.name,
        STAGED_CHANNEL,
        sorted.map(({ psp, eventId, traceparent }) =>
          JSON.stringify({ psp, eventId, tries: 0, traceparent }),
        ),
      ],
    });
    const stored = new Set(rows[0]?.stored);
    return new Set(sorted.filter((_, index) => stored.has(index + 1)));
  }

  /** Null where there is none, or where it is decided. @throws StoreUnavailable */
  async undecided(psp: string, eventId: string): Promise<Undecided | null> {
    const { rows } = await this.query<Undecided>({
      name: 'webhook_inbox_undecided',
      text: `SELECT type, facts, taken, tries, next_at AS "nextAt", trace_id AS "traceId" FROM webhook_inbox
        WHERE psp = $1 AND event_id = $2 AND state = 'received'`,
      values: [psp, eventId],
    });
    return rows[0] ?? null;
  }

  /**
   * Stores the result of a try, and stages the next one if there is one. False if another try was first: of
   * concurrent tries, one is stored. @throws StoreUnavailable
   */
  async record(
    { psp, eventId, tries }: ApplyArgs,
    taken: readonly NotificationOutcome[],
    decision: Decision,
    kind: JobKind<ApplyArgs>,
  ): Promise<boolean> {
    const again = { psp, eventId, tries: tries + 1 };
    const { rows } = await this.query<{ moved: boolean }>({
      name: 'webhook_inbox_record',
      text: `WITH moved AS (
         UPDATE webhook_inbox SET state = $4, reason = $5, taken = $6, tries = tries + 1, next_at = $7,
                decided_at = CASE WHEN $7::timestamptz IS NULL THEN $8::timestamptz END
          WHERE psp = $1 AND event_id = $2 AND state = 'received' AND tries = $3
          RETURNING next_at
       ), staged AS (
         INSERT INTO staged_jobs (id, kind, job_id, args, not_before, staged_at)
         SELECT $9, $10, $11, $12, next_at, $8 FROM moved WHERE next_at IS NOT NULL
         RETURNING id
       )
       SELECT EXISTS (SELECT FROM moved) AS moved, CASE WHEN EXISTS (SELECT FROM staged) THEN pg_notify($13, '') END`,
      values: [
        psp,
        eventId,
        tries,
        decision.state,
        decision.state === 'break' ? decision.reason : null,
        taken,
        decision.state === 'received' ? decision.nextAt : null,
        this.clock.now(),
        this.ids.uuid(),
        kind.name,
        jobIdOf(kind, again),
        again,
        STAGED_CHANNEL,
      ],
    });
    return rows[0]?.moved ?? false;
  }

  /** Notifications that are due now, the longest due first. @throws StoreUnavailable */
  async due(limit: number): Promise<ApplyArgs[]> {
    const { rows } = await this.query<ApplyArgs>({
      text: `SELECT psp, event_id AS "eventId", tries FROM webhook_inbox
        WHERE next_at <= $1 ORDER BY next_at LIMIT $2`,
      values: [this.clock.now(), limit],
    });
    return rows;
  }

  /** Deletes decided notifications that are no break; returns how many. @throws StoreUnavailable */
  async forget(decidedBefore: Date, limit: number): Promise<number> {
    const { rowCount } = await this.query({
      text: `DELETE FROM webhook_inbox WHERE (psp, event_id) IN (
         SELECT psp, event_id FROM webhook_inbox
          WHERE state IN ('applied', 'ignored') AND decided_at < $1
          ORDER BY decided_at LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      values: [decidedBefore, limit],
    });
    return rowCount ?? 0;
  }

  private query<Row extends QueryResultRow>(query: QueryConfig): Promise<QueryResult<Row>> {
    const timed: QueryConfig & { query_timeout: number } = { ...query, query_timeout: QUERY_TIMEOUT_MS };
    return translateOutage(this.pool.query<Row>(timed));
  }
}

/** By code units: an order that any process has. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
