import { type Page } from '../../core/page.js';
import { type Clock } from '../../core/clock.js';
import { sqlState, sqlStateOf } from '../../database/database.js';
import { type Ids } from '../../core/ids.js';
import { Problem } from '../../core/problem.js';
import { type Encryption } from '../../core/encryption.js';
import { translateOutage } from '../../database/store-unavailable.js';
import { type Caller } from '../../merchants/caller.js';
import { type Act, recorded } from './audited.js';
import { DISABLE, type DisabledReason } from './delivery-records.js';
import { newSecret, encryptSecret } from './endpoint-secret.js';
import { type EventView, eventViewOf, PING } from './event.view.js';
import { replayRange } from './replay.js';
import { targetFaults } from './target.js';
import { type TargetGuard, TargetRefused } from './target-guard.js';
import { type Sql, WAKE_DUE } from './waking.js';
import { type EndpointView, type EndpointWithSecretView, type ReplayView } from './webhook.view.js';
import { type NewEndpoint, type WebhookEndpoints } from './webhooks.js';

export interface EndpointsDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Encryption;
  readonly guard: TargetGuard;
}

export const MAX_ENDPOINTS = 16;
/** How long the secret before the last one is good for signing beside it. */
export const ROTATION_MS = 24 * 3_600_000;
/** For looking a name up while a client waits. */
const CHECK_TIMEOUT_MS = 5_000;
/** Of one merchant at the same time, in this process. */
const MAX_CHECKS = 4;
const CHECKS_RETRY_S = 1;

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
  SELECT s FROM generate_series(1, ${MAX_ENDPOINTS}) s
   WHERE NOT EXISTS (SELECT 1 FROM webhook_endpoints t WHERE t.merchant_id = $1 AND t.slot = s)
   ORDER BY s LIMIT 1`;

export class PostgresWebhookEndpoints implements WebhookEndpoints {
  /** How many names are being resolved for a merchant whose request waits. */
  private readonly checks = new Map<string, number>();

  constructor(private readonly deps: EndpointsDeps) {}

  async create(caller: Caller, { url, events, description }: NewEndpoint): Promise<EndpointWithSecretView> {
    const { clock, ids, seal } = this.deps;
    const { merchantId } = caller;
    await this.refuseTarget(merchantId, url);
    const id = ids.uuid();
    const secret = newSecret();
    const sealed = encryptSecret(seal, { merchantId, id }, secret);
    const row = await this.intoSlot(
      { caller, action: 'webhook_endpoint.created' },
      '',
      `INSERT INTO webhook_endpoints (merchant_id, id, url, description, event_types, slot, secret, created_at, updated_at)
       SELECT $1, $2, $3, $4, $5, f.s, $6, $7, $7 FROM (${FREE_SLOT}) f
       RETURNING ${COLUMNS}`,
      [merchantId, id, url, description, events, sealed, clock.now()],
    );
    return { ...endpointViewOf(row), secret };
  }

  async list({ merchantId }: Caller, limit: number, cursor: string | null): Promise<Page<EndpointView>> {
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

  async rotateSecret(caller: Caller, id: string): Promise<EndpointWithSecretView> {
    const { merchantId } = caller;
    const { clock, seal } = this.deps;
    const secret = newSecret();
    const now = clock.now();
    const rows = await this.recordedRows(
      { caller, action: 'webhook_endpoint.secret_rotated' },
      '',
      `UPDATE webhook_endpoints
          SET previous_secret = secret, previous_secret_until = $4, secret = $3, updated_at = $5
        WHERE merchant_id = $1 AND id = $2 RETURNING ${COLUMNS}`,
      [
        merchantId,
        id,
        encryptSecret(seal, { merchantId, id }, secret),
        new Date(now.getTime() + ROTATION_MS),
        now,
      ],
    );
    return { ...endpointViewOf(found(rows)), secret };
  }

  async disable(caller: Caller, id: string): Promise<EndpointView> {
    const { merchantId } = caller;
    const { sql, clock, ids } = this.deps;
    const at = clock.now();
    const act = { caller, auditId: ids.uuid(), at, action: 'webhook_endpoint.disabled' } as const;
    const record = recorded(act, 4, { from: 'off', subject: "'webhook_endpoint:' || id" });
    const parameters = [at, merchantId, id, 'asked', ...record.values];
    await translateOutage(sql.query(`WITH ${DISABLE}, ${record.cte} SELECT 1 FROM off`, parameters));
    return this.get(caller, id);
  }

  async enable(caller: Caller, id: string): Promise<EndpointView> {
    const { merchantId } = caller;
    const now = this.deps.clock.now();
    const row = await this.row(merchantId, id);
    if (row.disabledReason === null) return endpointViewOf(row);
    await this.refuseTarget(merchantId, row.url);
    // An event that was fanned out just while it was disabled may still be pending: it is canceled too.
    const enabled = await this.intoSlot(
      { caller, action: 'webhook_endpoint.enabled' },
      `late AS (
         UPDATE webhook_deliveries SET status = 'canceled', next_at = NULL, updated_at = $3
          WHERE merchant_id = $1 AND endpoint_id = $2 AND status = 'pending'),`,
      `UPDATE webhook_endpoints e
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
    await translateOutage(
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

  async replay(caller: Caller, id: string, from: Date, to: Date): Promise<ReplayView> {
    enabledRow(await this.row(caller.merchantId, id));
    const { sql, clock, ids } = this.deps;
    const by = { caller, auditId: ids.uuid() };
    return {
      object: 'replay',
      deliveries: await replayRange(sql, { by, id, from, to }, clock.now()),
    };
  }

  /** Two at once may take the same slot; each of the sixteen can be lost to another once. */
  private async intoSlot(
    by: Pick<Act, 'caller' | 'action'>,
    first: string,
    text: string,
    values: readonly unknown[],
  ): Promise<EndpointRow> {
    for (let tries = 0; tries < MAX_ENDPOINTS; tries++) {
      try {
        const [row] = await this.recordedRows(by, first, text, values);
        if (row) return row;
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
    if (running >= MAX_CHECKS && this.deps.guard.looksUp(url)) {
      const detail = `At most ${MAX_CHECKS} names of a merchant are looked up at once.`;
      throw new Problem('rate_limited', detail, { retryAfterS: CHECKS_RETRY_S });
    }
    this.checks.set(merchantId, running + 1);
    try {
      await this.deps.guard.check(url, AbortSignal.timeout(CHECK_TIMEOUT_MS));
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

  private async row(merchantId: string, id: string): Promise<EndpointRow> {
    const text = `SELECT ${COLUMNS} FROM webhook_endpoints WHERE merchant_id = $1 AND id = $2`;
    return found(await this.rows(text, [merchantId, id]));
  }

  /** Rows of a change, which is recorded by the statement that makes it; `first` are CTEs before it. */
  private recordedRows(
    by: Pick<Act, 'caller' | 'action'>,
    first: string,
    text: string,
    values: readonly unknown[],
  ): Promise<EndpointRow[]> {
    const act = { ...by, auditId: this.deps.ids.uuid(), at: this.deps.clock.now() };
    const record = recorded(act, values.length, {
      from: 'done',
      subject: "'webhook_endpoint:' || id",
      detail: "jsonb_build_object('url', split_part(url, '?', 1))",
    });
    const statement = `WITH ${first} done AS (${text}), ${record.cte} SELECT * FROM done`;
    return this.rows(statement, [...values, ...record.values]);
  }

  private async rows(text: string, values: readonly unknown[]): Promise<EndpointRow[]> {
    return (await translateOutage(this.deps.sql.query<EndpointRow>(text, values))).rows;
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
