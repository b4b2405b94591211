import { Injectable } from '@nestjs/common';
import { type Page, pageOf } from '../core/page.js';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { EventRecord } from '../database/event.entity.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { type Caller } from '../core/caller.js';
import { type EventRow, type EventView, eventViewOf } from './event.view.js';
import { idsBetween, replayEvent } from './replay.js';
import { type DeliveryAttemptView, type DeliveryView, type ReplayView } from './webhook.view.js';
import { type EventFilter } from './dto/list-events.dto.js';
import { WebhookDelivery, WebhookDeliveryAttempt } from './webhook-delivery.entity.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';

/** Attempts of one delivery that are shown, the newest. */
const MAX_ATTEMPTS = 50;
/** Endpoints that an event is shown to have been sent to: those enabled, and some that were. */
const MAX_DELIVERIES = 100;
const EARLIEST = new Date(0);
const LATEST = new Date(Date.UTC(9999, 11, 31));

/**
 * Newest first, by the transaction that wrote them (migration 0020). Ids are created before a commit, so an event
 * may become visible after one with a higher id; in the order of ids, a client that stops at the last known one
 * would miss it. Events of transactions that are newer than the oldest running one are not listed yet. A cursor is
 * the id of an event; if that is deleted, so are all older ones.
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

/** Events as merchants read them. Every refusal is a thrown `Problem`. */
@Injectable()
export class EventsService {
  constructor(
    private readonly tenants: TenantDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async list(
    { merchantId, isTest }: Caller,
    { type, createdFrom, createdTo }: EventFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<EventView>> {
    const [lowest, highest] = idsBetween(createdFrom ?? EARLIEST, createdTo ?? LATEST);
    const { rows } = await translateOutage(
      this.tenants
        .sqlOf(merchantId)
        .query<EventRow>(PAGE, [
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
    return pageOf(rows, limit, (event) => eventViewOf(event, isTest));
  }

  async get({ merchantId, isTest }: Caller, id: string): Promise<EventView> {
    const event = await translateOutage(
      this.tenants.within(merchantId, (tx) => tx.findOneBy(EventRecord, { merchantId, id })),
    );
    if (!event) throw new Problem('not_found', 'No such event.');
    return eventViewOf(event, isTest);
  }

  async deliveries(caller: Caller, id: string): Promise<Page<DeliveryView>> {
    await this.get(caller, id);
    const where = { merchantId: caller.merchantId, eventId: id };
    const [deliveries, attempts] = await translateOutage(
      this.tenants.within(caller.merchantId, async (tx) => [
        await tx.find(WebhookDelivery, { where, order: { endpointId: 'DESC' }, take: MAX_DELIVERIES }),
        await tx
          .createQueryBuilder(WebhookDeliveryAttempt, 'a')
          .innerJoin(
            WebhookDelivery,
            'd',
            'd.merchant_id = a.merchant_id AND d.event_id = a.event_id AND d.endpoint_id = a.endpoint_id',
          )
          .where(where)
          .andWhere(`a.attempt > d.attempts - ${MAX_ATTEMPTS}`)
          .orderBy('a.attempt', 'DESC')
          .limit(MAX_DELIVERIES * MAX_ATTEMPTS)
          .getMany(),
      ]),
    );
    const data = deliveries.map(({ endpointId, status, nextAt }) => ({
      object: 'webhook_delivery' as const,
      event_id: id,
      endpoint_id: endpointId,
      status,
      next_attempt_at: nextAt?.toISOString() ?? null,
      attempts: attempts.filter((a) => a.endpointId === endpointId).map(attemptViewOf),
    }));
    return { data, has_more: false, next_cursor: null };
  }

  /** Sends it again: to one endpoint, or (null) to all that want its type. */
  async replay(caller: Caller, id: string, endpointId: string | null): Promise<ReplayView> {
    const { merchantId } = caller;
    await this.get(caller, id);
    if (endpointId !== null) await this.refuseDisabled(merchantId, endpointId);
    const deliveries = await replayEvent(
      this.tenants.sqlOf(merchantId),
      { by: { caller, auditId: this.ids.uuid() }, eventId: id, endpointId },
      this.clock.now(),
    );
    return { object: 'replay', deliveries };
  }

  private async refuseDisabled(merchantId: string, endpointId: string): Promise<void> {
    const endpoint = await translateOutage(
      this.tenants.within(merchantId, (tx) => tx.findOneBy(WebhookEndpoint, { merchantId, id: endpointId })),
    );
    if (!endpoint) throw new Problem('not_found', 'No such webhook endpoint.');
    if (endpoint.slot === null) {
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
}: WebhookDeliveryAttempt): DeliveryAttemptView {
  return {
    attempt,
    started_at: startedAt.toISOString(),
    http_status: httpStatus,
    error_code: errorCode,
    latency_ms: latencyMs,
  };
}
