import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import {
  choicesOf,
  inWords,
  merchantSettings,
  type MerchantSettingsJson,
  settingKeys,
  type SettingKey,
  settingText,
} from '../core/merchant-settings.js';
import { Problem } from '../core/problem.js';
import { readBankBatches, readBankFiles } from '../database/bank-lists.js';
import { translateOutage } from '../database/store-unavailable.js';
import { IDLE } from '../operators/operator-sessions.js';
import { cursorOf, noCursor, placeIn } from './place-cursor.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { type PageView } from '../core/page.view.js';
import {
  type BankBatchView,
  type BankFileView,
  type CustomerRow,
  type OperatorRow,
  type DeliveryRow,
  type DisputeRow,
  type MerchantPageView,
  type MerchantRow,
  type NotificationRow,
  type PayoutRow,
  type RefundRow,
  type SettingView,
} from './installation-views.js';

const PAGE = 50;
/** The most rows of what is undecided or undelivered, which is little. */
const LISTED = 200;
/** The newest payouts that are read for one page. */
const SCANNED = 20_000;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const settings = settingKeys.map((key) => merchantSettings[key]);

/** `$1` the id to go on after, `$2` one merchant. */
const MERCHANTS = `
SELECT m.id, m.name, m.test_of IS NOT NULL AS is_test, m.created_at,
       jsonb_build_object(${settings.map(({ name, column }) => `'${name}', m.${column}`).join(', ')}) AS settings,
       (SELECT count(*)::int FROM api_keys k WHERE k.merchant_id = m.id AND k.revoked_at IS NULL
           AND (k.expires_at IS NULL OR k.expires_at > now())) AS keys,
       (SELECT count(*)::int FROM webhook_endpoints e WHERE e.merchant_id = m.id AND e.slot IS NOT NULL) AS endpoints,
       (SELECT p.created_at FROM payments p WHERE p.merchant_id = m.id ORDER BY p.id DESC LIMIT 1) AS last_payment_at
  FROM merchants m
 WHERE ($1::uuid IS NULL OR m.id < $1) AND ($2::uuid IS NULL OR m.id = $2)
 ORDER BY m.id DESC LIMIT ${PAGE + 1}`;

const KEYS = `
SELECT id, prefix, scopes, needs_certificate, created_at, last_used_at, expires_at, revoked_at FROM api_keys
 WHERE merchant_id = $1 ORDER BY revoked_at IS NOT NULL, id DESC LIMIT 200`;

const ENDPOINTS = `
SELECT id, url, event_types AS events, description, disabled_reason, failing_since FROM webhook_endpoints
 WHERE merchant_id = $1 ORDER BY slot NULLS LAST, id DESC LIMIT 200`;

const shown = (deliveries: string) => `
SELECT d.merchant_id, m.name AS merchant, d.event_id, d.endpoint_id, e.url, v.type, d.status, d.attempts,
       t.http_status, t.error_code, t.started_at AS tried_at, d.next_at, d.created_at,
       substring(v.subject FROM '^payment:(.*)$') AS payment_id
  FROM (${deliveries}) d
  JOIN merchants m ON m.id = d.merchant_id
  JOIN webhook_endpoints e ON e.merchant_id = d.merchant_id AND e.id = d.endpoint_id
  JOIN events v ON v.merchant_id = d.merchant_id AND v.id = d.event_id
  LEFT JOIN webhook_delivery_attempts t ON t.merchant_id = d.merchant_id AND t.event_id = d.event_id
        AND t.endpoint_id = d.endpoint_id AND t.attempt = d.attempts
 ORDER BY d.event_id DESC, d.endpoint_id DESC`;

/** Merchant by merchant, as the primary key has them. */
const DELIVERIES = shown(`
  SELECT n.* FROM merchants each CROSS JOIN LATERAL (
    SELECT * FROM webhook_deliveries w WHERE w.merchant_id = each.id
       AND ($1::uuid IS NULL OR (w.event_id, w.endpoint_id) < ($1::uuid, $2::uuid))
     ORDER BY w.event_id DESC, w.endpoint_id DESC LIMIT ${PAGE + 1}) n
   ORDER BY n.event_id DESC, n.endpoint_id DESC LIMIT ${PAGE + 1}`);

const UNDELIVERED = shown(`
  SELECT * FROM webhook_deliveries w WHERE w.status IN ('pending', 'exhausted')
     AND ($1::uuid IS NULL OR (w.event_id, w.endpoint_id) < ($1::uuid, $2::uuid))
   ORDER BY w.event_id DESC, w.endpoint_id DESC LIMIT ${PAGE + 1}`);

const NOTIFICATION = 'psp, event_id, type, state, reason, tries, entity_key, received_at, next_at';
const INBOX = {
  all: `SELECT ${NOTIFICATION} FROM webhook_inbox
         WHERE $1::timestamptz IS NULL OR (received_at, psp, event_id) < ($1::timestamptz, $2::text, $3::text)
         ORDER BY received_at DESC, psp DESC, event_id DESC LIMIT ${PAGE + 1}`,
  undecided: `SELECT ${NOTIFICATION} FROM webhook_inbox WHERE next_at IS NOT NULL ORDER BY next_at LIMIT ${LISTED}`,
} as const;
export type InboxList = keyof typeof INBOX;

const PAYOUT =
  'p.id, m.name AS merchant, p.recipient, p.reference, p.status, p.amount, p.currency, p.psp, p.created_at';

const NAMED_PAYOUTS = `
SELECT ${PAYOUT} FROM payouts p JOIN merchants m ON m.id = p.merchant_id
 WHERE p.id IN (
   SELECT $1::uuid WHERE $1 IS NOT NULL
   UNION ALL SELECT r.id FROM merchants s JOIN payouts r ON r.merchant_id = s.id AND r.reference = $2
   UNION ALL (SELECT r.id FROM merchants s JOIN payouts r ON r.merchant_id = s.id AND r.recipient = $2 LIMIT ${PAGE})
   UNION ALL SELECT o.payout_id FROM psp_requests o WHERE o.psp_reference = $2 AND o.payout_id IS NOT NULL)
 ORDER BY p.id DESC LIMIT ${PAGE}`;

/** `scanned` is cut off before the filter, so that its end is where the next page goes on. */
const PAYOUTS = `
WITH scanned AS MATERIALIZED (
  SELECT id, status FROM payouts WHERE ($1::uuid IS NULL OR id < $1::uuid) ORDER BY id DESC LIMIT ${SCANNED}),
fitting AS (SELECT id FROM scanned WHERE ($2::text IS NULL OR status = $2) ORDER BY id DESC LIMIT ${PAGE + 1})
SELECT ${PAYOUT}, (SELECT id FROM scanned ORDER BY id LIMIT 1) AS "scannedTo",
       (SELECT count(*)::int FROM scanned) AS scanned
  FROM (SELECT 1) one LEFT JOIN (fitting f JOIN payouts p ON p.id = f.id JOIN merchants m ON m.id = p.merchant_id) ON true
 ORDER BY p.id DESC`;

/** Merchant by merchant, as the index has them. */
const REFUNDS = `
SELECT r.id, m.name AS merchant, r.payment_id, p.reference AS payment, r.reference, r.status, r.amount, r.currency, r.psp,
       r.reason, r.failure ->> 'code' AS failure, r.created_at
  FROM (SELECT n.* FROM merchants each CROSS JOIN LATERAL (
          SELECT * FROM refunds f WHERE f.merchant_id = each.id AND ($1::uuid IS NULL OR f.id < $1::uuid)
           ORDER BY f.id DESC LIMIT ${PAGE + 1}) n
         ORDER BY n.id DESC LIMIT ${PAGE + 1}) r
  JOIN merchants m ON m.id = r.merchant_id
  JOIN payments p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
 ORDER BY r.id DESC`;

/** Few payments are disputed, and an index holds those. */
const DISPUTES = `
SELECT d ->> 'id' AS id, m.name AS merchant, p.id AS payment_id, p.reference AS payment, d ->> 'status' AS status,
       (d ->> 'amount')::bigint AS amount, (d ->> 'amountWithheld')::bigint AS amount_withheld, p.currency, p.psp,
       d ->> 'pspReference' AS psp_reference, d ->> 'reason' AS reason, d ->> 'respondBy' AS respond_by, d ->> 'openedAt' AS opened_at,
       d ->> 'closedAt' AS closed_at
  FROM payments p JOIN merchants m ON m.id = p.merchant_id CROSS JOIN LATERAL jsonb_array_elements(p.disputes) d
 WHERE p.disputes IS NOT NULL AND ($1::text IS NULL OR d ->> 'id' < $1) AND ($2::text IS NULL OR d ->> 'status' = $2)
 ORDER BY d ->> 'id' DESC LIMIT ${PAGE + 1}`;

/** The most payments of one customer that are counted. */
const COUNTED = 1_000;
/** Those who paid among the newest payments, each at its last one. What is scanned is bounded, so a page may have few rows. */
const CUSTOMERS = `
WITH scanned AS MATERIALIZED (
  SELECT id, merchant_id, customer_hash, customer_reference, reference, created_at FROM payments
   WHERE $1::uuid IS NULL OR id < $1 ORDER BY id DESC LIMIT ${SCANNED}),
last AS (
  SELECT DISTINCT ON (merchant_id, customer_hash) * FROM scanned
   WHERE customer_reference IS NOT NULL AND customer_hash IS NOT NULL ORDER BY merchant_id, customer_hash, id DESC),
page AS (
  SELECT l.* FROM last l
   WHERE NOT EXISTS (
     SELECT FROM payments n WHERE n.customer_hash = l.customer_hash AND n.merchant_id = l.merchant_id AND n.id >= $1)
   ORDER BY l.id DESC LIMIT ${PAGE + 1})
SELECT m.name AS merchant, p.customer_reference AS customer, c.payments, c.captured, p.id AS last_payment_id,
       p.reference AS last_payment, p.created_at AS last_at, s."scannedTo", s.scanned
  FROM (SELECT (SELECT id FROM scanned ORDER BY id LIMIT 1) AS "scannedTo", count(*)::int AS scanned FROM scanned) s
  LEFT JOIN (page p JOIN merchants m ON m.id = p.merchant_id
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS payments, count(*) FILTER (WHERE status IN ('captured', 'partially_refunded'))::int AS captured
        FROM (SELECT status FROM payments o WHERE o.customer_hash = p.customer_hash AND o.merchant_id = p.merchant_id
               ORDER BY o.id DESC LIMIT ${COUNTED}) o) c) ON true
 ORDER BY p.id DESC`;

/** By name. An ended session is kept for a day. */
const OPERATORS = `
SELECT o.name, o.role, o.person,
       CASE WHEN o.disabled_at IS NOT NULL THEN 'disabled'
            WHEN num_nonnulls(o.password_hash, o.oidc_subject) = 0 THEN 'invited' ELSE 'active' END AS state,
       CASE WHEN o.oidc_subject IS NOT NULL THEN 'provider'
            WHEN o.password_hash IS NOT NULL THEN 'password' ELSE 'link' END AS signs_in_by,
       count(s.*) FILTER (WHERE s.seen_at > now() - ${IDLE})::int AS sessions,
       max(s.seen_at) AS last_seen_at, o.created_at
  FROM operators o LEFT JOIN operator_sessions s ON s.operator_id = o.id
 GROUP BY o.id ORDER BY o.disabled_at IS NOT NULL, o.name LIMIT 1000`;

/** The most files for banks, or of banks, that are shown. */
const BANK_FILES = 200;

/** Lists of the installation over all merchants: SQL by hand over indexes, none of it grows with the tables. */
@Injectable()
export class InstallationReader {
  constructor(private readonly pool: Pool) {}

  async merchants(cursor: string | null): Promise<PageView<MerchantRow>> {
    return pageOf(await this.rows<MerchantRow>(MERCHANTS, [cursor, null]), ({ id }) => id);
  }

  /** With its keys, of which the secret is not stored. @throws Problem `not_found` */
  async merchant(id: string): Promise<Omit<MerchantPageView, 'payout_limits'>> {
    const [[merchant], keys, endpoints] = await Promise.all([
      this.rows<MerchantRow>(MERCHANTS, [null, id]),
      this.rows<MerchantPageView['keys'][number]>(KEYS, [id]),
      this.rows<MerchantPageView['endpoints'][number]>(ENDPOINTS, [id]),
    ]);
    if (merchant === undefined) throw new Problem('not_found', 'There is no merchant of this id.');
    return {
      merchant,
      settings: settingKeys.map((key) => settingView(key, merchant.settings)),
      keys,
      // The part of an address behind its path may be a secret of the merchant's.
      endpoints: endpoints.map((each) => ({ ...each, url: withoutQuery(each.url) })),
    };
  }

  /** @throws Problem `validation_failed` for a cursor that is none */
  async deliveries(undelivered: boolean, cursor: string | null): Promise<PageView<DeliveryRow>> {
    const after = cursor === null ? [null, null] : cursor.split('.');
    if (cursor !== null && !(after.length === 2 && after.every((id) => UUID.test(id!)))) throw noCursor();
    const rows = await this.rows<DeliveryRow>(undelivered ? UNDELIVERED : DELIVERIES, after);
    const data = rows.map((row) => ({ ...row, url: withoutQuery(row.url) }));
    return pageOf(data, ({ event_id: event, endpoint_id: endpoint }) => `${event}.${endpoint}`);
  }

  /** @throws Problem `validation_failed` for a cursor that is none */
  async inbox(list: InboxList, cursor: string | null): Promise<PageView<NotificationRow>> {
    const [at = null, psp = null, id = null] = placeIn(cursor, 'time', 3);
    const values = list === 'all' ? [at, psp, id] : [];
    type Stored = Omit<NotificationRow, 'payment_id' | 'payout_id' | 'received_at'> & { received_at: Date };
    const found = await this.rows<Stored>(INBOX[list], values);
    const rows = found.map((row): NotificationRow => {
      const subject = subjectOf(row.entity_key ?? '');
      return {
        ...row,
        received_at: row.received_at.toISOString(),
        payment_id: subject?.kind === 'payment' ? subject.id : null,
        payout_id: subject?.kind === 'payout' ? subject.id : null,
      };
    });
    if (list !== 'all') return { data: rows, next_cursor: null };
    return pageOf(rows, ({ received_at: at, psp, event_id: id }) => cursorOf([at, psp, id]));
  }

  async payouts(
    q: string | null,
    status: string | null,
    cursor: string | null,
  ): Promise<PageView<PayoutRow>> {
    if (q !== null) {
      const name = q.trim();
      const id = UUID.test(name.toLowerCase()) ? name.toLowerCase() : null;
      return { data: await this.rows<PayoutRow>(NAMED_PAYOUTS, [id, name]), next_cursor: null };
    }
    return scannedPageOf(await this.rows<Scanned<PayoutRow>>(PAYOUTS, [cursor, status]), ({ id }) => id);
  }

  async refunds(cursor: string | null): Promise<PageView<RefundRow>> {
    return pageOf(await this.rows<RefundRow>(REFUNDS, [cursor]), ({ id }) => id);
  }

  async disputes(status: string | null, cursor: string | null): Promise<PageView<DisputeRow>> {
    return pageOf(await this.rows<DisputeRow>(DISPUTES, [cursor, status]), ({ id }) => id);
  }

  async operators(): Promise<PageView<OperatorRow>> {
    return { data: await this.rows<OperatorRow>(OPERATORS, []), next_cursor: null };
  }

  /** Files for banks, the newest first. */
  async bankBatches(): Promise<PageView<BankBatchView>> {
    const rows = await readBankBatches(this.pool, { psp: null, limit: BANK_FILES });
    const data = rows.map(
      ({ message_id: _message, format: _format, total, formed_at, sent_at, ...batch }) => ({
        ...batch,
        amount: total,
        currency: 'EUR',
        formed_at: formed_at.toISOString(),
        sent_at: sent_at?.toISOString() ?? null,
      }),
    );
    return { data, next_cursor: null };
  }

  /** Files of banks, the newest first. */
  async bankFiles(): Promise<PageView<BankFileView>> {
    const rows = await readBankFiles(this.pool, { psp: null, limit: BANK_FILES });
    return {
      data: rows.map((file) => ({ ...file, received_at: file.received_at.toISOString() })),
      next_cursor: null,
    };
  }

  /** Customers by their last payment, the newest first. @throws Problem `validation_failed` for a cursor that is none */
  async customers(cursor: string | null): Promise<PageView<CustomerRow>> {
    const found = await this.rows<Scanned<CustomerRow>>(CUSTOMERS, [cursor]);
    return scannedPageOf(found, ({ last_payment_id: id }) => id);
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

function pageOf<Row>(rows: readonly Row[], cursorOf: (row: Row) => string): PageView<Row> {
  const data = rows.slice(0, PAGE);
  return { data, next_cursor: rows.length > PAGE ? cursorOf(data.at(-1)!) : null };
}

/** A row of what was scanned; one without an id where nothing of it fits. */
type Scanned<Row> = Row & { readonly scannedTo: string | null; readonly scanned: number };

/** Goes on after the last row, or after what was scanned. */
function scannedPageOf<Row>(
  found: readonly Scanned<Row>[],
  idOf: (row: Row) => string | null,
): PageView<Row> {
  const rows = found.filter((row) => idOf(row) !== null);
  const data = rows
    .slice(0, PAGE)
    .map(({ scannedTo: _to, scanned: _count, ...row }) => row as unknown as Row);
  if (rows.length > PAGE) return { data, next_cursor: idOf(data.at(-1)!) };
  const [first] = found;
  return { data, next_cursor: first?.scanned === SCANNED ? first.scannedTo : null };
}

function withoutQuery(url: string): string {
  return url.split('?')[0]!;
}

function settingView(key: SettingKey, settings: MerchantSettingsJson): SettingView {
  const { name, label, note, ...setting } = merchantSettings[key];
  const value = settings[name];
  const choices = choicesOf(key);
  return {
    name,
    label,
    note,
    value: settingText(value),
    words: inWords(key, value),
    choices: choices && [...choices].map(([value, label]) => ({ value, label })),
    when_unset: choices === null && 'whenUnset' in setting ? setting.whenUnset : null,
  };
}
