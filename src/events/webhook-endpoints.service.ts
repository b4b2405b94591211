import { Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThan, Not } from 'typeorm';
import { type Page, pageOf } from '../core/page.js';
import { Clock } from '../core/clock.js';
import { given } from '../database/conditions.js';
import { sqlState, sqlStateOf } from '../database/sql-state.js';
import { Ids } from '../core/ids.js';
import { Problem } from '../core/problem.js';
import { Encryption } from '../core/encryption.js';
import { recordAct } from '../database/record-act.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { type Caller } from '../core/caller.js';
import { type Act, type ActingFor, recordOf } from './audited.js';
import { DISABLE } from './delivery-records.js';
import { newSecret, encryptSecret } from './endpoint-secret.js';
import { type EventView, eventViewOf, PING } from './event.view.js';
import { replayRange } from './replay.js';
import { targetFaults } from './target.js';
import { TargetGuard, TargetRefused } from './target-guard.js';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { WebhookEndpoint } from './webhook-endpoint.entity.js';
import { WAKE_DUE } from './waking.js';
import { type EndpointView, type EndpointWithSecretView, type ReplayView } from './webhook.view.js';
import { type NewEndpoint } from './dto/create-webhook-endpoint.dto.js';

const MAX_ENDPOINTS = 16;
/** How long requests are also signed with the previous secret. */
const ROTATION_MS = 24 * 3_600_000;
/** For resolving a name while a client waits. */
const CHECK_TIMEOUT_MS = 5_000;
/** The most checks of one merchant at the same time, in this process. */
const MAX_CHECKS = 4;
const CHECKS_RETRY_S = 1;

/** Who handles the endpoints of a merchant: a key of it, or an operator. */
export type Owner = ActingFor & Pick<Caller, 'isTest'>;

/** Endpoints of merchants. Every refusal is a thrown `Problem`. */
@Injectable()
export class WebhookEndpointsService {
  /** How many names are being resolved for a merchant whose request waits. */
  private readonly checks = new Map<string, number>();

  constructor(
    private readonly tenants: TenantDatabase,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly seal: Encryption,
    private readonly guard: TargetGuard,
  ) {}

  /** Throws `webhook_target_refused`, and `webhook_endpoint_limit` where 16 are enabled. */
  async create(caller: Owner, { url, events, description }: NewEndpoint): Promise<EndpointWithSecretView> {
    const { clock, ids, seal } = this;
    const { merchantId } = caller;
    await this.refuseTarget(merchantId, url);
    const id = ids.uuid();
    const secret = newSecret();
    const sealed = encryptSecret(seal, { merchantId, id }, secret);
    const created = await this.intoSlot(merchantId, async (tx, slot) => {
      const now = clock.now();
      const given = {
        merchantId,
        id,
        url,
        description,
        eventTypes: events && [...events],
        slot,
        secret: sealed,
      };
      await tx.insert(WebhookEndpoint, { ...given, createdAt: now, updatedAt: now });
      return this.recorded(tx, caller, 'webhook_endpoint.created', { merchantId, id });
    });
    return { ...endpointViewOf(caller, created), secret };
  }

  async list(caller: Owner, limit: number, cursor: string | null): Promise<Page<EndpointView>> {
    const { merchantId } = caller;
    const found = await translateOutage(
      this.tenants.within(merchantId, (tx) =>
        tx.find(WebhookEndpoint, {
          where: given({ merchantId, id: cursor && LessThan(cursor) }),
          order: { id: 'DESC' },
          take: limit + 1,
        }),
      ),
    );
    return pageOf(found, limit, (row) => endpointViewOf(caller, row));
  }

  async get(caller: Owner, id: string): Promise<EndpointView> {
    return endpointViewOf(caller, await this.row(caller.merchantId, id));
  }

  async rotateSecret(caller: Owner, id: string): Promise<EndpointWithSecretView> {
    const { merchantId } = caller;
    const { clock, seal } = this;
    const secret = newSecret();
    const now = clock.now();
    const key = { merchantId, id };
    const rotated = this.tenants.within(merchantId, async (tx) => {
      const before = await tx.findOne(WebhookEndpoint, { where: key, lock: { mode: 'pessimistic_write' } });
      if (!before) return null;
      await tx.update(WebhookEndpoint, key, {
        previousSecret: before.secret,
        previousSecretUntil: new Date(now.getTime() + ROTATION_MS),
        secret: encryptSecret(seal, key, secret),
        updatedAt: now,
      });
      return this.recorded(tx, caller, 'webhook_endpoint.secret_rotated', key);
    });
    return { ...endpointViewOf(caller, found(await translateOutage(rotated))), secret };
  }

  /** Cancels pending deliveries; they can be replayed. May be repeated. */
  async disable(caller: Owner, id: string): Promise<EndpointView> {
    const { clock, ids } = this;
    const at = clock.now();
    const act = { caller, auditId: ids.uuid(), at, action: 'webhook_endpoint.disabled' } as const;
    await translateOutage(
      this.tenants.within(caller.merchantId, async (tx) => {
        const values = [at, caller.merchantId, id, 'asked'];
        const [off] = await tx.query<{ id: string }[]>(`WITH ${DISABLE} SELECT id FROM off`, values);
        if (off) await recordAct(tx, recordOf(act, `webhook_endpoint:${off.id}`, {}));
      }),
    );
    return this.get(caller, id);
  }

  async enable(caller: Owner, id: string): Promise<EndpointView> {
    const { merchantId } = caller;
    const now = this.clock.now();
    const before = await this.row(merchantId, id);
    if (before.disabledReason === null) return endpointViewOf(caller, before);
    await this.refuseTarget(merchantId, before.url);
    const key = { merchantId, id };
    const enabled = await this.intoSlot(merchantId, async (tx, slot) => {
      const { affected } = await tx.update(
        WebhookEndpoint,
        { ...key, slot: IsNull() },
        { slot, disabledReason: null, disabledAt: null, failingSince: null, apart: false, updatedAt: now },
      );
      if (affected !== 1) return tx.findOneByOrFail(WebhookEndpoint, key);
      // An event that was fanned out just while it was disabled may still be pending: it is canceled too.
      await tx.update(
        WebhookDelivery,
        { merchantId, endpointId: id, status: 'pending' },
        { status: 'canceled', nextAt: null, updatedAt: now },
      );
      return this.recorded(tx, caller, 'webhook_endpoint.enabled', key);
    });
    return endpointViewOf(caller, enabled);
  }

  /** Sends an event of the type `ping` to this endpoint alone. */
  async ping(caller: Owner, id: string): Promise<EventView> {
    const { clock, ids } = this;
    const { merchantId } = caller;
    const view = endpointViewOf(caller, enabledRow(await this.row(merchantId, id)));
    const event = { id: ids.uuid(), type: PING, data: { ...view }, at: clock.now() };
    await translateOutage(
      this.tenants.sqlOf(merchantId).query(
        `WITH event AS (
           INSERT INTO events (merchant_id, id, type, subject, data, at, fanned_out_at)
           VALUES ($2, $4, '${PING}', 'webhook_endpoint:' || $3, $5, $1, $1)),
         due AS (
           INSERT INTO webhook_deliveries (merchant_id, event_id, endpoint_id, status, next_at, created_at, updated_at)
           VALUES ($2, $4, $3::uuid, 'pending', $1, $1, $1)
           RETURNING merchant_id, endpoint_id),
         ${WAKE_DUE}
         SELECT told FROM told`,
        [event.at, merchantId, id, event.id, event.data],
      ),
    );
    return eventViewOf(event, caller.isTest);
  }

  /** Sends the events of a time range again that the endpoint subscribes to; at most 10,000, or `replay_too_large`. */
  async replay(caller: Owner, id: string, from: Date, to: Date): Promise<ReplayView> {
    enabledRow(await this.row(caller.merchantId, id));
    const { clock, ids } = this;
    const sql = this.tenants.sqlOf(caller.merchantId);
    const by = { caller, auditId: ids.uuid() };
    return {
      object: 'replay',
      deliveries: await replayRange(sql, { by, id, from, to }, clock.now()),
    };
  }

  /** Two at once may take the same slot; each of the sixteen can be lost to another once. */
  private async intoSlot(
    merchantId: string,
    work: (tx: EntityManager, slot: number) => Promise<WebhookEndpoint>,
  ): Promise<WebhookEndpoint> {
    for (let tries = 0; tries < MAX_ENDPOINTS; tries++) {
      try {
        const changed = await translateOutage(
          this.tenants.within(merchantId, async (tx) => {
            const slot = await freeSlot(tx, merchantId);
            return slot === null ? null : work(tx, slot);
          }),
        );
        if (changed) return changed;
        break;
      } catch (error) {
        if (sqlStateOf(error) !== sqlState.UNIQUE_VIOLATION) throw error;
      }
    }
    throw new Problem(
      'webhook_endpoint_limit',
      `At most ${MAX_ENDPOINTS} webhook endpoints of a merchant are enabled. Disable one first.`,
    );
  }

  private async refuseTarget(merchantId: string, url: string): Promise<void> {
    const running = this.checks.get(merchantId) ?? 0;
    if (running >= MAX_CHECKS && this.guard.looksUp(url)) {
      const detail = `At most ${MAX_CHECKS} names of a merchant are looked up at once.`;
      throw new Problem('rate_limited', detail, { retryAfterS: CHECKS_RETRY_S });
    }
    this.checks.set(merchantId, running + 1);
    try {
      await this.guard.check(url, AbortSignal.timeout(CHECK_TIMEOUT_MS));
    } catch (error) {
      const fault = error instanceof TargetRefused ? error.fault : 'dns_failed';
      const message = fault === 'dns_failed' ? 'must have a name that resolves' : targetFaults[fault];
      throw new Problem('webhook_target_refused', 'Events are not sent to such an address; see errors.', {
        errors: [{ pointer: '/url', message }],
      });
    } finally {
      const left = this.checks.get(merchantId)! - 1;
      if (left > 0) this.checks.set(merchantId, left);
      else this.checks.delete(merchantId);
    }
  }

  private async row(merchantId: string, id: string): Promise<WebhookEndpoint> {
    return found(
      await translateOutage(
        this.tenants.within(merchantId, (tx) => tx.findOneBy(WebhookEndpoint, { merchantId, id })),
      ),
    );
  }

  /** Stores the audit record of a change of an endpoint, and reads the endpoint again. */
  private async recorded(
    tx: EntityManager,
    caller: Owner,
    action: Act['action'],
    key: { readonly merchantId: string; readonly id: string },
  ): Promise<WebhookEndpoint> {
    const { clock, ids } = this;
    const endpoint = await tx.findOneByOrFail(WebhookEndpoint, key);
    const act = { caller, auditId: ids.uuid(), at: clock.now(), action };
    const [url] = endpoint.url.split('?');
    await recordAct(tx, recordOf(act, `webhook_endpoint:${endpoint.id}`, { url }));
    return endpoint;
  }
}

/** The lowest of a merchant's slots that is free; null where none is. */
async function freeSlot(tx: EntityManager, merchantId: string): Promise<number | null> {
  const enabled = await tx.findBy(WebhookEndpoint, { merchantId, slot: Not(IsNull()) });
  const taken = new Set(enabled.map(({ slot }) => slot));
  for (let slot = 1; slot <= MAX_ENDPOINTS; slot++) if (!taken.has(slot)) return slot;
  return null;
}

function found(endpoint: WebhookEndpoint | null): WebhookEndpoint {
  if (!endpoint) throw new Problem('not_found', 'No such webhook endpoint.');
  return endpoint;
}

function enabledRow(row: WebhookEndpoint): WebhookEndpoint {
  if (row.disabledReason === null) return row;
  throw new Problem('invalid_state', 'The webhook endpoint is disabled. Enable it first.');
}

function endpointViewOf({ isTest }: Pick<Caller, 'isTest'>, row: WebhookEndpoint): EndpointView {
  return {
    object: 'webhook_endpoint',
    id: row.id,
    test: isTest,
    url: row.url,
    events: row.eventTypes,
    description: row.description,
    status: row.disabledReason === null ? 'enabled' : 'disabled',
    disabled_reason: row.disabledReason,
    failing_since: row.failingSince?.toISOString() ?? null,
    previous_secret_until: row.previousSecretUntil?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
