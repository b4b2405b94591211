import {
  type Clock,
  type Ids,
  Problem,
  type Seal,
  sqlState,
  sqlStateOf,
  orUnavailable,
} from '../../kernel/index.js';
import { type Caller } from '../../merchants/index.js';
import { DISABLE, type DisabledReason } from './delivery-records.js';
import { newSecret, sealSecret } from './endpoint-secret.js';
import { type EventView, eventViewOf, PING } from './event-view.js';
import { replayRange } from './replay.js';
import { targetFaults } from './target.js';
import { type TargetGuard, TargetRefused } from './target-guard.js';
import { type Sql, WAKE_DUE } from './waking.js';
import {
  type EndpointAsk,
  type EndpointView,
  type EndpointWithSecret,
  type ReplayView,
  type WebhookEndpoints,
  type WebhookPage,
} from './webhooks.js';

export interface EndpointsDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly guard: TargetGuard;
}

export const MOST_ENDPOINTS = 16;
/** How long the secret before the last one is good for signing beside it. */
export const ROTATION_MS = 24 * 3_600_000;
/** For looking a name up while a client waits. */
const CHECK_TIMEOUT_MS = 5_000;

interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: string[] | null;
  readonly disabledReason: DisabledReason | null;
  readonly failingSince: Date | null;
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = `id, url, description, event_types AS "eventTypes", disabled_reason AS "disabledReason",
  failing_since AS "failingSince", previous_secret_until AS "previousSecretUntil",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

/** The lowest slot of merchant `$1` that is free; no row where none is. */
const FREE_SLOT = `
  SELECT s FROM generate_series(1, ${MOST_ENDPOINTS}) s
   WHERE NOT EXISTS (SELECT 1 FROM webhook_endpoints t WHERE t.merchant_id = $1 AND t.slot = s)
   ORDER BY s LIMIT 1`;

export class PostgresWebhookEndpoints implements WebhookEndpoints {
  constructor(private readonly deps: EndpointsDeps) {}

  async create(
    { merchantId }: Caller,
    { url, events, description }: EndpointAsk,
  ): Promise<EndpointWithSecret> {
    const { clock, ids, seal } = this.deps;
    await this.refuseTarget(url);
    const id = ids.uuid();
    const secret = newSecret();
    const sealed = sealSecret(seal, { merchantId, id }, secret);
    const row = await this.intoSlot(
      `INSERT INTO webhook_endpoints (merchant_id, id, url, description, event_types, slot, secret, created_at, updated_at)
       SELECT $1, $2, $3, $4, $5, f.s, $6, $7, $7 FROM (${FREE_SLOT}) f
       RETURNING ${COLUMNS}`,
      [merchantId, id, url, description, events, sealed, clock.now()],
    );
    return { ...endpointViewOf(row), secret };
  }

  async list(
    { merchantId }: Caller,
    limit: number,
    cursor: string | null,
  ): Promise<WebhookPage<EndpointView>> {
    const rows = await this.rows(
      `SELECT ${COLUMNS} FROM webhook_endpoints
        WHERE merchant_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
      [merchantId, cursor, limit + 1],
    );
    const page = rows.slice(0, limit);
    const hasMore = rows.length > limit;
    return {
      data: page.map(endpointViewOf),
      has_more: hasMore,
      next_cursor: hasMore ? page.at(-1)!.id : null,
    };
  }

  async get({ merchantId }: Caller, id: string): Promise<EndpointView> {
    return endpointViewOf(await this.row(merchantId, id));
  }

  async rotateSecret({ merchantId }: Caller, id: string): Promise<EndpointWithSecret> {
    const { clock, seal } = this.deps;
    const secret = newSecret();
    const now = clock.now();
    const rows = await this.rows(
      `UPDATE webhook_endpoints
          SET previous_secret = secret, previous_secret_until = $4, secret = $3, updated_at = $5
        WHERE merchant_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [
        merchantId,
        id,
        sealSecret(seal, { merchantId, id }, secret),
        new Date(now.getTime() + ROTATION_MS),
        now,
      ],
    );
    return { ...endpointViewOf(found(rows)), secret };
  }

  async disable(caller: Caller, id: string): Promise<EndpointView> {
    const { merchantId } = caller;
    const parameters = [this.deps.clock.now(), merchantId, id, 'asked'];
    await orUnavailable(this.deps.sql.query(`WITH ${DISABLE} SELECT 1 FROM off`, parameters));
    return this.get(caller, id);
  }

  async enable({ merchantId }: Caller, id: string): Promise<EndpointView> {
    const now = this.deps.clock.now();
    const row = await this.row(merchantId, id);
    if (row.disabledReason === null) return endpointViewOf(row);
    await this.refuseTarget(row.url);
    // An event that was fanned out just while it was disabled may still be pending: it is canceled too.
    const enabled = await this.intoSlot(
      `WITH late AS (
         UPDATE webhook_deliveries SET status = 'canceled', next_at = NULL, updated_at = $3
          WHERE merchant_id = $1 AND endpoint_id = $2 AND status = 'pending')
       UPDATE webhook_endpoints e
          SET slot = f.s, disabled_reason = NULL, disabled_at = NULL, failing_since = NULL, apart = false,
              updated_at = $3
         FROM (${FREE_SLOT}) f
        WHERE e.merchant_id = $1 AND e.id = $2 AND e.slot IS NULL
       RETURNING ${COLUMNS}`,
      [merchantId, id, now],
    );
    return endpointViewOf(enabled);
  }

  async ping({ merchantId }: Caller, id: string): Promise<EventView> {
    const { sql, clock, ids } = this.deps;
    const view = endpointViewOf(enabledRow(await this.row(merchantId, id)));
    const event = { id: ids.uuid(), type: PING, data: { ...view }, at: clock.now() };
    await orUnavailable(
      sql.query(
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
    return eventViewOf(event);
  }

  async replay({ merchantId }: Caller, id: string, from: Date, to: Date): Promise<ReplayView> {
    enabledRow(await this.row(merchantId, id));
    const { sql, clock } = this.deps;
    return {
      object: 'replay',
      deliveries: await replayRange(sql, { merchantId, id, from, to }, clock.now()),
    };
  }

  /** Two at once may take the same slot; each of the sixteen can be lost to another once. */
  private async intoSlot(text: string, values: readonly unknown[]): Promise<EndpointRow> {
    for (let tries = 0; tries < MOST_ENDPOINTS; tries++) {
      try {
        const [row] = await this.rows(text, values);
        if (row) return row;
        break;
      } catch (error) {
        if (sqlStateOf(error) !== sqlState.UNIQUE_VIOLATION) throw error;
      }
    }
    throw new Problem(
      'webhook_endpoint_limit',
      `At most ${MOST_ENDPOINTS} webhook endpoints of a merchant are enabled. Disable one first.`,
    );
  }

  private async refuseTarget(url: string): Promise<void> {
    try {
      await this.deps.guard.check(url, AbortSignal.timeout(CHECK_TIMEOUT_MS));
    } catch (error) {
      const fault = error instanceof TargetRefused ? error.fault : 'dns_failed';
      const message = fault === 'dns_failed' ? 'must have a name that resolves' : targetFaults[fault];
      throw new Problem('webhook_target_refused', 'Events are not sent to such an address; see errors.', {
        errors: [{ pointer: '/url', message }],
      });
    }
  }

  private async row(merchantId: string, id: string): Promise<EndpointRow> {
    const text = `SELECT ${COLUMNS} FROM webhook_endpoints WHERE merchant_id = $1 AND id = $2`;
    return found(await this.rows(text, [merchantId, id]));
  }

  private async rows(text: string, values: readonly unknown[]): Promise<EndpointRow[]> {
    return (await orUnavailable(this.deps.sql.query<EndpointRow>(text, values))).rows;
  }
}

function found([row]: readonly EndpointRow[]): EndpointRow {
  if (!row) throw new Problem('not_found', 'No such webhook endpoint.');
  return row;
}

function enabledRow(row: EndpointRow): EndpointRow {
  if (row.disabledReason === null) return row;
  throw new Problem('invalid_state', 'The webhook endpoint is disabled. Enable it first.');
}

function endpointViewOf(row: EndpointRow): EndpointView {
  return {
    object: 'webhook_endpoint',
    id: row.id,
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
