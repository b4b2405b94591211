import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Clock } from '../core/clock.js';
import { type EventRow } from './event.view.js';
import { WAKE_DUE } from './waking.js';
import { type Sql } from '../database/tenants.js';

/** A lease of an endpoint: only its worker delivers. */
export interface Hold {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly token: string;
}

/** An endpoint as the worker that delivers to it sees it. */
export interface HeldEndpoint {
  readonly url: string;
  /** Sealed. */
  readonly secret: Uint8Array;
  readonly previousSecret: Uint8Array | null;
  readonly previousSecretUntil: Date | null;
  readonly failingSince: Date | null;
  readonly apart: boolean;
  /** Its merchant is a test mode. */
  readonly isTest: boolean;
}

/** One try, stored before it is made. */
export interface BegunTry extends EventRow {
  readonly attempt: number;
  /** Since the event was sent for, this one included. */
  readonly tries: number;
}

interface EndedTry {
  readonly eventId: string;
  readonly attempt: number;
  readonly httpStatus: number | null;
  /** null: delivered. */
  readonly errorCode: string | null;
  readonly latencyMs: number;
  /** When it is tried again; null where it is not. */
  readonly nextAt: Date | null;
  /** Whether deliveries to the endpoint wait in the slow lane from now on. */
  readonly apart: boolean;
  readonly pausedUntil: Date | null;
}

export type DisabledReason = 'asked' | 'gone' | 'failing';

/** A try that no run has completed by then is taken for lost, and made again, in ms: twice what one may take. */
const LOST_AFTER_MS = 20_000;

/** `$1` now, `$2` merchant, `$3` endpoint, `$4` reason. */
export const DISABLE = `
off AS (
  UPDATE webhook_endpoints SET slot = NULL, disabled_reason = $4, disabled_at = $1, updated_at = $1,
         wake_at = NULL, paused_until = NULL
   WHERE merchant_id = $2 AND id = $3 AND slot IS NOT NULL
  RETURNING merchant_id, id),
canceled AS (
  UPDATE webhook_deliveries d SET status = 'canceled', next_at = NULL, updated_at = $1 FROM off
   WHERE d.merchant_id = off.merchant_id AND d.endpoint_id = off.id AND d.status = 'pending')`;

/** The statements of deliveries. Times are the service's, except for leases, which use the database's clock. */
@Injectable()
export class DeliveryRecords {
  constructor(
    @Inject(Pool) private readonly sql: Sql,
    private readonly clock: Clock,
  ) {}

  /** null where another worker has it, it is disabled, or it asked for a pause. */
  async hold({ merchantId, endpointId, token }: Hold, ms: number): Promise<HeldEndpoint | null> {
    const { rows } = await this.sql.query<HeldEndpoint>(
      `UPDATE webhook_endpoints
          SET leased_by = $4, leased_until = statement_timestamp() + $5 * interval '1 millisecond'
        WHERE merchant_id = $2 AND id = $3 AND slot IS NOT NULL
          AND (leased_until IS NULL OR leased_until <= statement_timestamp())
          AND (paused_until IS NULL OR paused_until <= $1)
       RETURNING url, secret, previous_secret AS "previousSecret",
                 previous_secret_until AS "previousSecretUntil", failing_since AS "failingSince", apart,
                 (SELECT test_of IS NOT NULL FROM merchants WHERE id = $2) AS "isTest"`,
      [this.clock.now(), merchantId, endpointId, token, ms],
    );
    return rows[0] ?? null;
  }

  /** Stores the next due try, if there is one and the endpoint is still leased. */
  async begin({ merchantId, endpointId, token }: Hold): Promise<BegunTry | null> {
    const { rows } = await this.sql.query<BegunTry>(
      `WITH next AS (
         SELECT d.merchant_id, d.event_id, d.endpoint_id FROM webhook_deliveries d
          WHERE d.merchant_id = $2 AND d.endpoint_id = $3 AND d.status = 'pending' AND d.next_at <= $1
            AND EXISTS (
              SELECT 1 FROM webhook_endpoints e
               WHERE e.merchant_id = $2 AND e.id = $3 AND e.slot IS NOT NULL
                 AND e.leased_by = $4 AND e.leased_until > statement_timestamp())
          ORDER BY d.next_at LIMIT 1 FOR UPDATE SKIP LOCKED),
       begun AS (
         UPDATE webhook_deliveries d
            SET attempts = d.attempts + 1, tries = d.tries + 1, in_flight = true, updated_at = $1,
                next_at = $1::timestamptz + interval '${LOST_AFTER_MS} milliseconds'
           FROM next n
          WHERE d.merchant_id = n.merchant_id AND d.event_id = n.event_id AND d.endpoint_id = n.endpoint_id
         RETURNING d.merchant_id, d.event_id, d.endpoint_id, d.attempts, d.tries),
       noted AS (
         INSERT INTO webhook_delivery_attempts (merchant_id, event_id, endpoint_id, attempt, started_at)
         SELECT merchant_id, event_id, endpoint_id, attempts, $1 FROM begun)
       SELECT v.id, v.type, v.data, v.at, b.attempts AS attempt, b.tries
         FROM begun b JOIN events v ON v.merchant_id = b.merchant_id AND v.id = b.event_id`,
      [this.clock.now(), merchantId, endpointId, token],
    );
    return rows[0] ?? null;
  }

  /**
   * Completes a try. A success counts whenever it arrives; a failure only while no later try has begun.
   * @returns since when every try has failed; null where this one did not
   */
  async end({ merchantId, endpointId }: Hold, ended: EndedTry): Promise<Date | null> {
    const { eventId, attempt, httpStatus, errorCode, latencyMs, nextAt, apart, pausedUntil } = ended;
    const { rows } = await this.sql.query<{ failingSince: Date | null }>(
      `WITH noted AS (
         UPDATE webhook_delivery_attempts
            SET ended_at = $1, http_status = $6, error_code = $7::text, latency_ms = $8
          WHERE merchant_id = $2 AND event_id = $4 AND endpoint_id = $3 AND attempt = $5 AND ended_at IS NULL),
       moved AS (
         UPDATE webhook_deliveries
            SET in_flight = false, updated_at = $1,
                status = CASE WHEN $7::text IS NULL THEN 'delivered'
                              WHEN $9::timestamptz IS NULL THEN 'exhausted' ELSE 'pending' END,
                next_at = CASE WHEN $7::text IS NULL THEN NULL ELSE $9 END
          WHERE merchant_id = $2 AND event_id = $4 AND endpoint_id = $3
            AND ($7::text IS NULL OR (status = 'pending' AND attempts = $5)))
       UPDATE webhook_endpoints
          SET failing_since = CASE WHEN $7::text IS NULL THEN NULL ELSE COALESCE(failing_since, $1) END,
              apart = $10, paused_until = COALESCE($11, paused_until)
        WHERE merchant_id = $2 AND id = $3
       RETURNING failing_since AS "failingSince"`,
      [
        this.clock.now(),
        merchantId,
        endpointId,
        eventId,
        attempt,
        httpStatus,
        errorCode,
        latencyMs,
        nextAt,
        apart,
        pausedUntil,
      ],
    );
    return rows[0]?.failingSince ?? null;
  }

  /** Disables the endpoint and cancels its pending deliveries. False if it was disabled already. */
  async disable(merchantId: string, endpointId: string, reason: DisabledReason): Promise<boolean> {
    const { rows } = await this.sql.query<{ n: number }>(
      `WITH ${DISABLE} SELECT count(*)::int AS n FROM off`,
      [this.clock.now(), merchantId, endpointId, reason],
    );
    return rows[0]?.n === 1;
  }

  /** Releases the endpoint, and sets when its next delivery is due. */
  async release({ merchantId, endpointId, token }: Hold): Promise<void> {
    await this.sql.query(
      `UPDATE webhook_endpoints e
          SET leased_by = NULL, leased_until = NULL,
              wake_at = CASE WHEN n.at IS NOT NULL THEN GREATEST(n.at, e.paused_until) END
         FROM (SELECT min(next_at) AS at FROM webhook_deliveries
                WHERE merchant_id = $1 AND endpoint_id = $2 AND status = 'pending') n
        WHERE e.merchant_id = $1 AND e.id = $2 AND e.leased_by = $3`,
      [merchantId, endpointId, token],
    );
    // Checks once more for deliveries that were fanned out during the statement above.
    await this.sql.query(
      `WITH due AS (
         SELECT e.merchant_id, e.id AS endpoint_id FROM webhook_endpoints e
          WHERE e.merchant_id = $2 AND e.id = $3 AND (e.paused_until IS NULL OR e.paused_until <= $1)
            AND EXISTS (
              SELECT 1 FROM webhook_deliveries d
               WHERE d.merchant_id = $2 AND d.endpoint_id = $3 AND d.status = 'pending' AND d.next_at <= $1)),
       ${WAKE_DUE}
       SELECT told FROM told`,
      [this.clock.now(), merchantId, endpointId],
    );
  }

  /**
   * How long the most overdue delivery has been due, in seconds. Endpoints that asked for a pause or are disabled
   * do not count.
   */
  async latenessS(): Promise<number> {
    const { rows } = await this.sql.query<{ late: number }>(
      `SELECT coalesce(extract(epoch FROM max($1::timestamptz - n.at)), 0)::float8 AS late
         FROM webhook_endpoints e
         CROSS JOIN LATERAL (
           SELECT min(next_at) AS at FROM webhook_deliveries d
            WHERE d.merchant_id = e.merchant_id AND d.endpoint_id = e.id AND d.status = 'pending') n
        WHERE e.slot IS NOT NULL AND (e.paused_until IS NULL OR e.paused_until <= $1)`,
      [this.clock.now()],
    );
    return Math.max(0, rows[0]!.late);
  }

  /** Endpoints with due deliveries that no run handles, the longest due first. */
  async due(apart: boolean, limit: number): Promise<{ merchantId: string; endpointId: string }[]> {
    const { rows } = await this.sql.query<{ merchantId: string; endpointId: string }>(
      `SELECT e.merchant_id AS "merchantId", e.id AS "endpointId"
         FROM webhook_endpoints e
         CROSS JOIN LATERAL (
           SELECT min(next_at) AS at FROM webhook_deliveries d
            WHERE d.merchant_id = e.merchant_id AND d.endpoint_id = e.id AND d.status = 'pending') n
        WHERE e.slot IS NOT NULL AND e.apart = $2 AND n.at <= $1
          AND (e.paused_until IS NULL OR e.paused_until <= $1)
          AND (e.leased_until IS NULL OR e.leased_until <= statement_timestamp())
        ORDER BY n.at LIMIT $3`,
      [this.clock.now(), apart, limit],
    );
    return rows;
  }
}
