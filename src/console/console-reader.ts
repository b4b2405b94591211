import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { translateOutage } from '../database/store-unavailable.js';
import { type AuditRow } from '../audit/audit.view.js';
import { type OpenRow, type OverviewView, type PaymentRow } from './console-views.js';
import { type PageView } from '../core/page.view.js';
import { uuidv7 } from '../core/ids.js';
import { type EventRow, type PostedRow, type RequestRow } from './timeline.js';

/** Which payments are listed; what is null does not narrow the list. */
export interface PaymentFilter {
  /** The id, the merchant's reference, the PSP's id, or a customer by `customers`. */
  readonly q: string | null;
  /** The hashes that payments keep of the customer whom `q` may name. */
  readonly customers: readonly Uint8Array[];
  readonly status: string | null;
  readonly psp: string | null;
  readonly merchant: string | null;
}

/** The rows of a list that are shown at once. */
const PAGE = 50;
/** The newest rows that are read for one page: a filter that fits few of them stays quick. */
const SCANNED = 20_000;
const OPEN_LISTED = 200;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const PAYMENT = `p.id, m.name AS merchant, p.reference, p.status, p.amount, p.currency, p.psp, p.created_at`;

const NAMED = `
SELECT ${PAYMENT} FROM payments p JOIN merchants m ON m.id = p.merchant_id
 WHERE p.id IN (
   SELECT $1::uuid WHERE $1 IS NOT NULL
   UNION ALL SELECT r.id FROM merchants s JOIN payments r ON r.merchant_id = s.id AND r.reference = $2
   UNION ALL SELECT t.id FROM merchants s JOIN payments t ON t.merchant_id = s.id AND t.order_reference = $2
   UNION ALL SELECT o.payment_id FROM psp_requests o WHERE o.psp_reference = $2 AND o.payment_id IS NOT NULL
   UNION ALL SELECT c.id FROM unnest($3::bytea[]) h (hash) CROSS JOIN LATERAL (
     SELECT id FROM payments WHERE customer_hash = h.hash ORDER BY id DESC LIMIT ${PAGE}) c
   UNION ALL SELECT c.id FROM unnest($3::bytea[]) h (hash) CROSS JOIN LATERAL (
     SELECT id FROM payments WHERE customer_email_hash = h.hash ORDER BY id DESC LIMIT ${PAGE}) c)
 ORDER BY p.id DESC LIMIT ${PAGE}`;

/** `scanned` is cut off before the filters, so that its end is where the next page goes on. */
const listed = (ofMerchant: boolean) => `
WITH scanned AS MATERIALIZED (
  SELECT id, merchant_id, status, psp FROM payments
   WHERE ($1::uuid IS NULL OR id < $1::uuid) ${ofMerchant ? 'AND merchant_id = $4::uuid' : 'AND $4::uuid IS NULL'}
   ORDER BY id DESC LIMIT ${SCANNED}),
fitting AS (
  SELECT id FROM scanned WHERE ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR psp = $3)
   ORDER BY id DESC LIMIT ${PAGE + 1})
SELECT ${PAYMENT}, (SELECT id FROM scanned ORDER BY id LIMIT 1) AS "scannedTo",
       (SELECT count(*)::int FROM scanned) AS scanned
  FROM (SELECT 1) one
  LEFT JOIN (fitting f JOIN payments p ON p.id = f.id JOIN merchants m ON m.id = p.merchant_id) ON true
 ORDER BY p.id DESC`;

const OPEN = `
SELECT r.merchant_id, m.name AS merchant, coalesce(pay.reference, po.reference) AS reference, r.payment_id, r.payout_id,
       r.entity_key, r.route, r.psp, r.amount,
       r.currency, r.opened_at, r.stuck_at, r.stuck_reason AS reason, r.next_step_at, a.outcome AS last_outcome,
       s.until AS snoozed_until, w.name AS owner,
       EXISTS (SELECT FROM approvals p WHERE p.merchant_id = r.merchant_id AND p.action ->> 'entity_key' = r.entity_key
                  AND p.decision IS NULL AND p.expires_at > now()) AS waits_for_approval
  FROM psp_requests r JOIN merchants m ON m.id = r.merchant_id
  LEFT JOIN payments pay ON pay.merchant_id = r.merchant_id AND pay.id = r.payment_id
  LEFT JOIN payouts po ON po.merchant_id = r.merchant_id AND po.id = r.payout_id
  LEFT JOIN LATERAL (SELECT outcome FROM psp_attempts a
     WHERE a.merchant_id = r.merchant_id AND a.entity_key = r.entity_key AND a.route = r.route
     ORDER BY attempt DESC LIMIT 1) a ON true
  LEFT JOIN operation_snoozes s ON s.merchant_id = r.merchant_id AND s.entity_key = r.entity_key AND s.until > now()
  LEFT JOIN operators w ON w.id = s.owner_id`;

const STUCK = `${OPEN} WHERE r.stuck_at IS NOT NULL AND (s.until IS NOT NULL) = $1 ORDER BY r.stuck_at LIMIT ${OPEN_LISTED}`;
const TRIED = `${OPEN} WHERE r.verdict = 'open' AND r.next_step_at IS NOT NULL ORDER BY r.opened_at LIMIT ${OPEN_LISTED}`;

const IS_SNOOZED = `EXISTS (
  SELECT FROM operation_snoozes s
   WHERE s.merchant_id = r.merchant_id AND s.entity_key = r.entity_key AND s.until > now())`;

const COUNTS = `
SELECT (SELECT count(*)::int FROM psp_requests r WHERE stuck_at IS NOT NULL AND NOT ${IS_SNOOZED}) AS stuck,
       (SELECT count(*)::int FROM psp_requests r WHERE stuck_at IS NOT NULL AND ${IS_SNOOZED}) AS snoozed,
       (SELECT count(*)::int FROM psp_requests WHERE verdict = 'open' AND next_step_at IS NOT NULL) AS open,
       (SELECT count(*)::int FROM approvals WHERE decision IS NULL AND expires_at > now()) AS approvals,
       (SELECT count(*)::int FROM orphan_effects WHERE status NOT IN ('compensated', 'closed')) AS orphans,
       (SELECT count(*)::int FROM dead_letters) AS dead_letters,
       (SELECT count(*)::int FROM reconciliation_breaks WHERE closed_at IS NULL) AS breaks,
       (SELECT held_until FROM failover_hold WHERE held_until > now()) AS held_until`;

const AGES = `
SELECT age, count(*)::int AS count FROM (
  SELECT CASE WHEN opened_at > now() - interval '1 minute' THEN 'under 1 min'
              WHEN opened_at > now() - interval '10 minutes' THEN 'under 10 min'
              WHEN opened_at > now() - interval '1 hour' THEN 'under 1 h'
              WHEN opened_at > now() - interval '1 day' THEN 'under 1 day' ELSE 'over 1 day' END AS age, opened_at
    FROM psp_requests WHERE verdict = 'open' AND next_step_at IS NOT NULL) open
 GROUP BY age ORDER BY max(opened_at) DESC`;

const OF_PEOPLE = "(actor LIKE 'operator:%' OR actor LIKE 'cli:%')";
const AUDIT_OF = `
SELECT id, at, actor, action, subject, detail ->> 'source_address' AS source_address,
       COALESCE(detail ->> 'result', 'done') AS result, detail - '{source_address,result}'::text[] AS detail
  FROM audit_records
 WHERE ${OF_PEOPLE} AND subject = $1 ORDER BY id DESC LIMIT 200`;

/** By the primary key: the source of each begins with the entity key of its operation. */
const POSTED = `
SELECT kind, psp, posted_at AS at, json_agg(json_build_object('account', account, 'amount', amount,
       'currency', currency) ORDER BY amount DESC) AS entries
  FROM ledger_lines
 WHERE merchant_id = $1 AND source >= $2 AND source < $3
 GROUP BY source, kind, psp, posted_at ORDER BY posted_at LIMIT 200`;

/**
 * No index leads from a payment to the keys of its requests, nor to its events: one more would cost every payment. Both
 * are made in the commits that are listed anyway, so that both are looked for by time.
 */
const NEAR_MS = 2_000;
const REQUESTS = `
SELECT DISTINCT k.operation, k.key, k.created_at AS at, k.finished_at AS "finishedAt", k.response_status AS status,
       k.source_address AS "sourceAddress"
  FROM unnest($3::timestamptz[], $4::timestamptz[]) AS near (first, last)
  JOIN idempotency_keys k ON k.created_at BETWEEN near.first AND near.last
 WHERE k.merchant_id = $1 AND k.subject_id = ANY ($2::uuid[]) ORDER BY k.created_at LIMIT 100`;
const EVENTS = `
SELECT DISTINCT e.id, e.type, e.at, d.status, d.tries, d.updated_at AS "triedAt", w.url
  FROM unnest($3::uuid[], $4::uuid[]) AS near (first, last)
  JOIN events e ON e.merchant_id = $1 AND e.id BETWEEN near.first AND near.last
  LEFT JOIN webhook_deliveries d ON d.merchant_id = e.merchant_id AND d.event_id = e.id
  LEFT JOIN webhook_endpoints w ON w.merchant_id = d.merchant_id AND w.id = d.endpoint_id
 WHERE e.subject = ANY ($2::text[]) ORDER BY e.id LIMIT 100`;

/** The lists of the console, over all merchants: SQL over indexes, which does not get slower as the tables grow. */
@Injectable()
export class ConsoleReader {
  constructor(private readonly pool: Pool) {}

  async payments(
    { q, customers, status, psp, merchant }: PaymentFilter,
    cursor: string | null,
  ): Promise<PageView<PaymentRow>> {
    if (q !== null) {
      const name = q.trim();
      const id = UUID.test(name.toLowerCase()) ? name.toLowerCase() : null;
      return { data: await this.rows<PaymentRow>(NAMED, [id, name, customers]), next_cursor: null };
    }
    const found = await this.rows<PaymentRow & { scannedTo: string | null; scanned: number }>(
      listed(merchant !== null),
      [cursor, status, psp, merchant],
    );
    const rows = found.filter(({ id }) => id !== null);
    const data = rows.slice(0, PAGE).map(({ scannedTo: _to, scanned: _count, ...row }) => row);
    if (rows.length > PAGE) return { data, next_cursor: data.at(-1)!.id };
    const [first] = found;
    return { data, next_cursor: first !== undefined && first.scanned === SCANNED ? first.scannedTo : null };
  }

  /** Those that are not snoozed, or those that are. */
  stuck(isSnoozed = false): Promise<OpenRow[]> {
    return this.rows(STUCK, [isSnoozed]);
  }

  /** Those that are tried again by themselves, the oldest first. */
  open(): Promise<OpenRow[]> {
    return this.rows(TRIED, []);
  }

  /** People's actions on this subject, the newest first. */
  auditOf(subject: string): Promise<AuditRow[]> {
    return this.rows(AUDIT_OF, [subject]);
  }

  /** The postings of the ledger for the payment's operations. */
  postedOf(merchantId: string, paymentId: string): Promise<PostedRow[]> {
    return this.rows(POSTED, [merchantId, `payment-${paymentId}-`, `payment-${paymentId}.`]);
  }

  /** Requests of the merchant about these objects, and the events that it is sent of them, around these times. */
  async exchangesOf(
    merchantId: string,
    subjects: readonly string[],
    times: readonly Date[],
  ): Promise<{ readonly requests: RequestRow[]; readonly events: EventRow[] }> {
    const seconds = [...new Set(times.map((at) => Math.floor(at.getTime() / 1_000) * 1_000))];
    const ids = subjects.map((subject) => subject.slice(subject.indexOf(':') + 1));
    const around = (offsetMs: number) => seconds.map((ms) => new Date(ms + offsetMs));
    const idsAt = (offsetMs: number, byte: number) =>
      seconds.map((ms) => uuidv7(ms + offsetMs, Buffer.alloc(10, byte)));
    const [requests, events] = await Promise.all([
      this.rows<RequestRow>(REQUESTS, [merchantId, ids, around(-NEAR_MS), around(NEAR_MS)]),
      this.rows<EventRow>(EVENTS, [merchantId, subjects, idsAt(-NEAR_MS, 0), idsAt(NEAR_MS, 0xff)]),
    ]);
    return { requests, events };
  }

  async overview(): Promise<OverviewView> {
    const [[counts], ages] = await Promise.all([
      this.rows<OverviewView['counts'] & { held_until: string | null }>(COUNTS, []),
      this.rows<{ age: string; count: number }>(AGES, []),
    ]);
    const { held_until: failoverHeldUntil, ...shown } = counts!;
    return { counts: shown, open_by_age: ages, failover_held_until: failoverHeldUntil };
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}
