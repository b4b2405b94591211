import { type Page } from '../../core/page.js';
import { type Clock } from '../../core/clock.js';
import { type Ids } from '../../core/ids.js';
import { Problem } from '../../core/problem.js';
import { translateOutage } from '../../database/store-unavailable.js';
import { type Caller } from '../../merchants/caller.js';
import { type EventRow, type EventView, eventViewOf } from './event.view.js';
import { idsBetween, replayEvent } from './replay.js';
import { type Sql } from './waking.js';
import { type DeliveryAttemptView, type DeliveryView, type ReplayView } from './webhook.view.js';
import { type EventFilter, type Events } from './webhooks.js';

/** Attempts of one delivery that are shown, the newest. */
const MAX_ATTEMPTS = 50;
/** Endpoints that an event is shown to have been sent to: those enabled, and some that were. */
const MAX_DELIVERIES = 100;
const EARLIEST = new Date(0);
const LATEST = new Date(Date.UTC(9999, 11, 31));

interface DeliveryRow {
  readonly endpointId: string;
  readonly status: DeliveryView['status'];
  readonly nextAt: Date | null;
}

interface AttemptRow {
  readonly endpointId: string;
  readonly attempt: number;
  readonly startedAt: Date;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly latencyMs: number | null;
}

/**
 * Newest first, by the transaction that wrote them (migration 0020). Ids are drawn before a commit, so an
 * event may become visible after one with a higher id; read by id, a client that stops at the last one that it
 * knows would miss it. What is written by a transaction younger than the oldest that still runs waits for
 * that one. A cursor is the id of an event; where that is forgotten, so is all that is older.
 */
const PAGE = `
SELECT id, type, data, at FROM events
 WHERE merchant_id = $1 AND id BETWEEN $2 AND $3
   AND xid < (SELECT pg_snapshot_xmin(pg_current_snapshot()))
   AND ($4::uuid IS NULL OR (xid, id) <
        (coalesce((SELECT xid FROM events WHERE merchant_id = $1 AND id = $4), '0'::xid8), $4))
   AND ($5::text IS NULL OR type = $5)
   AND ($6::timestamptz IS NULL OR at >= $6) AND ($7::timestamptz IS NULL OR at <= $7)
 ORDER BY xid DESC, id DESC LIMIT $8`;

export class PostgresEvents implements Events {
  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async list(
    { merchantId }: Caller,
    { type, createdFrom, createdTo }: EventFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<EventView>> {
    const [lowest, highest] = idsBetween(createdFrom ?? EARLIEST, createdTo ?? LATEST);
    const { rows } = await translateOutage(
      this.sql.query<EventRow>(PAGE, [
        merchantId,
        lowest,
        highest,
        cursor,
        type ?? null,
        createdFrom ?? null,
        createdTo ?? null,
        limit + 1,
      ]),
    );
    const page = rows.slice(0, limit);
    const hasMore = rows.length > limit;
    return {
      data: page.map(eventViewOf),
      has_more: hasMore,
      next_cursor: hasMore ? page.at(-1)!.id : null,
    };
  }

  async get({ merchantId }: Caller, id: string): Promise<EventView> {
    const { rows } = await translateOutage(
      this.sql.query<EventRow>('SELECT id, type, data, at FROM events WHERE merchant_id = $1 AND id = $2', [
        merchantId,
        id,
      ]),
    );
    if (!rows[0]) throw new Problem('not_found', 'No such event.');
    return eventViewOf(rows[0]);
  }

  async deliveries(caller: Caller, id: string): Promise<Page<DeliveryView>> {
    await this.get(caller, id);
    const values = [caller.merchantId, id];
    const { rows } = await translateOutage(
      this.sql.query<DeliveryRow>(
        `SELECT endpoint_id AS "endpointId", status, next_at AS "nextAt" FROM webhook_deliveries
          WHERE merchant_id = $1 AND event_id = $2 ORDER BY endpoint_id DESC LIMIT ${MAX_DELIVERIES}`,
        values,
      ),
    );
    const { rows: attempts } = await translateOutage(
      this.sql.query<AttemptRow>(
        `SELECT a.endpoint_id AS "endpointId", a.attempt, a.started_at AS "startedAt",
                a.http_status AS "httpStatus", a.error_code AS "errorCode", a.latency_ms AS "latencyMs"
           FROM webhook_delivery_attempts a
           JOIN webhook_deliveries d USING (merchant_id, event_id, endpoint_id)
          WHERE a.merchant_id = $1 AND a.event_id = $2 AND a.attempt > d.attempts - ${MAX_ATTEMPTS}
          ORDER BY a.attempt DESC LIMIT ${MAX_DELIVERIES * MAX_ATTEMPTS}`,
        values,
      ),
    );
    const data = rows.map(({ endpointId, status, nextAt }) => ({
      object: 'webhook_delivery' as const,
      event_id: id,
      endpoint_id: endpointId,
      status,
      next_attempt_at: nextAt?.toISOString() ?? null,
      attempts: attempts.filter((a) => a.endpointId === endpointId).map(attemptViewOf),
    }));
    return { data, has_more: false, next_cursor: null };
  }

  async replay(caller: Caller, id: string, endpointId: string | null): Promise<ReplayView> {
    const { merchantId } = caller;
    await this.get(caller, id);
    if (endpointId !== null) await this.refuseDisabled(merchantId, endpointId);
    const deliveries = await replayEvent(
      this.sql,
      { by: { caller, auditId: this.ids.uuid() }, eventId: id, endpointId },
      this.clock.now(),
    );
    return { object: 'replay', deliveries };
  }

  private async refuseDisabled(merchantId: string, endpointId: string): Promise<void> {
    const { rows } = await translateOutage(
      this.sql.query<{ enabled: boolean }>(
        'SELECT slot IS NOT NULL AS enabled FROM webhook_endpoints WHERE merchant_id = $1 AND id = $2',
        [merchantId, endpointId],
      ),
    );
    if (!rows[0]) throw new Problem('not_found', 'No such webhook endpoint.');
    if (!rows[0].enabled) {
      throw new Problem('invalid_state', 'The webhook endpoint is disabled. Enable it first.');
    }
  }
}

function attemptViewOf({
  attempt,
  startedAt,
  httpStatus,
  errorCode,
  latencyMs,
}: AttemptRow): DeliveryAttemptView {
  return {
    attempt,
    started_at: startedAt.toISOString(),
    http_status: httpStatus,
    error_code: errorCode,
    latency_ms: latencyMs,
  };
}
