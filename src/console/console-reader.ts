import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { translateOutage } from '../database/store-unavailable.js';
import { type AuditRow } from '../audit/audit.view.js';
import { type OverviewView, type PaymentRow, waitingLists, type WaitingOrphanRow } from './console-views.js';
import { type PageView } from '../core/page.view.js';
import { uuidv7 } from '../core/ids.js';
import { subjectOf } from '../request-storage/entity-key.js';
import { readWaiting } from '../database/waiting.js';
import { type EventRow, type PostedRow, type RequestRow } from './timeline.js';

/** Which payments are listed; what is null does not narrow the list. */
export interface PaymentFilter {
  /** The id or an entity key, the merchant's reference, the PSP's id, or a customer by `customers`; else the beginning of one of the first two. */
  readonly q: string | null;
  /** The hashes that payments keep of the customer whom `q` may name. */
  readonly customers: readonly Uint8Array[];
  readonly status: string | null;
  readonly psp: string | null;
  readonly merchant: string | null;
  readonly currency: string | null;
  /** Minor units; both included. */
  readonly amountFrom: number | null;
  readonly amountTo: number | null;
  readonly createdFrom: Date | null;
  readonly createdBefore: Date | null;
  /** The code of a failure, or its category. */
  readonly failure: string | null;
  readonly order: PaymentOrder;
}

/** `largest`: of one currency, among the newest payments that are read at once; its list has one page. */
export const paymentOrders = ['newest', 'oldest', 'largest'] as const;
export type PaymentOrder = (typeof paymentOrders)[number];

/** The rows of a list that are shown at once. */
const PAGE = 50;
/** The newest rows that are read for one page: a filter that fits few of them stays quick. */
const SCANNED = 20_000;

/** The rows of the list by amount. */
const LARGEST = 200;

/** The newest merchants among whose references beginnings are looked for. */
const MERCHANTS_READ = 200;
/** The fewest characters that others may begin with. */
const SHORTEST = 3;
/** The least of the ids of a moment. */
const LEAST = Buffer.alloc(10, 0);

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

/** Payments whose reference or id begins so; read in order, as no index serves a prefix under every collation. */
const BEGINNING = `
SELECT ${PAYMENT} FROM payments p JOIN merchants m ON m.id = p.merchant_id
 WHERE p.id IN (
   (SELECT i.id FROM payments i WHERE i.id BETWEEN $2::uuid AND $3::uuid ORDER BY i.id DESC LIMIT ${PAGE})
   UNION ALL SELECT r.id FROM (SELECT id FROM merchants ORDER BY id DESC LIMIT ${MERCHANTS_READ}) s CROSS JOIN LATERAL (
     SELECT id, reference FROM payments f WHERE f.merchant_id = s.id AND f.reference >= $1
      ORDER BY f.reference LIMIT ${PAGE}) r WHERE starts_with(r.reference, $1))
 ORDER BY p.id DESC LIMIT ${PAGE}`;

const directionOf = (order: PaymentOrder) => (order === 'oldest' ? 'ASC' : 'DESC');

/** `scanned` is cut off before the filters, so that its end is where the next page goes on. Ids are in the order of time. */
const listed = (ofMerchant: boolean, rows: number, order: PaymentOrder) => `
WITH scanned AS MATERIALIZED (
  SELECT id, merchant_id, status, psp, currency, amount, failure FROM payments
   WHERE ($1::uuid IS NULL OR id ${order === 'oldest' ? '>' : '<'} $1::uuid) ${ofMerchant ? 'AND merchant_id = $4::uuid' : 'AND $4::uuid IS NULL'}
     AND ($5::uuid IS NULL OR id >= $5) AND ($6::uuid IS NULL OR id < $6)
   ORDER BY id ${directionOf(order)} LIMIT ${SCANNED}),
fitting AS (
  SELECT id FROM scanned WHERE ($2::text IS NULL OR status = $2) AND ($3::text IS NULL OR psp = $3)
     AND ($7::text IS NULL OR currency = $7) AND ($8::bigint IS NULL OR amount >= $8)
     AND ($9::bigint IS NULL OR amount <= $9)
     AND ($10::text IS NULL OR $10 IN (failure ->> 'code', failure ->> 'category'))
   ORDER BY ${order === 'largest' ? 'amount DESC, ' : ''}id ${directionOf(order)} LIMIT ${rows + 1})
SELECT ${PAYMENT}, (SELECT id FROM scanned ORDER BY id ${order === 'oldest' ? 'DESC' : ''} LIMIT 1) AS "scannedTo",
       (SELECT count(*)::int FROM scanned) AS scanned
  FROM (SELECT 1) one
  LEFT JOIN (fitting f JOIN payments p ON p.id = f.id JOIN merchants m ON m.id = p.merchant_id) ON true
 ORDER BY ${order === 'largest' ? 'p.amount DESC, ' : ''}p.id ${directionOf(order)}`;

const HELD = `SELECT max(held_until)::text AS held_until FROM failover_hold WHERE held_until > now()`;

/** With the last answer to giving it back, whose operation is named after the effect. */
const ORPHANS = `
SELECT o.merchant_id, m.name AS merchant, p.reference, o.entity_key, o.route, o.psp, o.psp_reference, o.amount, o.currency,
       o.status, o.found_at, CASE WHEN a.outcome IS NOT NULL THEN
         json_build_object('outcome', a.outcome, 'psp_code', a.psp_code, 'at', a.ended_at) END AS said
  FROM orphan_effects o JOIN merchants m ON m.id = o.merchant_id
  LEFT JOIN payments p ON p.merchant_id = o.merchant_id AND p.id = substring(o.entity_key FROM '^payment-(.{36})')::uuid
  LEFT JOIN LATERAL (
    SELECT outcome, psp_code, ended_at FROM psp_attempts t
     WHERE t.merchant_id = o.merchant_id
       AND t.entity_key = substr(o.entity_key, 1, 44) || '-orphan-' || o.route || CASE o.object WHEN 1 THEN '' ELSE '-' || o.object END
     ORDER BY t.route DESC, t.attempt DESC LIMIT 1) a ON true
 WHERE o.status NOT IN ('compensated', 'closed') ORDER BY o.status = 'failed' DESC, o.found_at LIMIT 1000`;

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

  /** `most`: rows of a page. */
  async payments(filter: PaymentFilter, cursor: string | null, most = PAGE): Promise<PageView<PaymentRow>> {
    if (filter.q !== null) return { data: await this.named(filter.q, filter.customers), next_cursor: null };
    const { status, psp, merchant, createdFrom, createdBefore, currency, amountFrom, amountTo } = filter;
    const { failure, order } = filter;
    const [first, before] = [createdFrom, createdBefore].map(
      (at) => at && uuidv7(Math.max(0, at.getTime()), LEAST),
    );
    const rowsShown = order === 'largest' ? LARGEST : most;
    const found = await this.rows<PaymentRow & { scannedTo: string | null; scanned: number }>(
      listed(merchant !== null, rowsShown, order),
      [cursor, status, psp, merchant, first, before, currency, amountFrom, amountTo, failure],
    );
    const rows = found.filter(({ id }) => id !== null);
    const data = rows.slice(0, rowsShown).map(({ scannedTo: _to, scanned: _count, ...row }) => row);
    if (order === 'largest') return { data, next_cursor: null };
    if (rows.length > most) return { data, next_cursor: data.at(-1)!.id };
    const [{ scanned, scannedTo } = { scanned: 0, scannedTo: null }] = found;
    return { data, next_cursor: scanned === SCANNED ? scannedTo : null };
  }

  /** Payments that are named exactly come alone; else those of which something begins so. */
  private async named(q: string, customers: readonly Uint8Array[]): Promise<PaymentRow[]> {
    const name = subjectOf(q)?.id ?? q.toLowerCase();
    const exact = await this.rows<PaymentRow>(NAMED, [UUID.test(name) ? name : null, q, customers]);
    if (exact.length > 0 || q.length < SHORTEST) return exact;
    return this.rows<PaymentRow>(BEGINNING, [q, ...idsFrom(name)]);
  }

  /** Those that wait, the failed first. */
  orphans(): Promise<WaitingOrphanRow[]> {
    return this.rows(ORPHANS, []);
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

  /** Seen by this operator: what they asked for themselves waits for others. */
  async overview(operatorId: string): Promise<OverviewView> {
    const [found, ages, [held]] = await Promise.all([
      translateOutage(readWaiting(this.pool, waitingLists, operatorId)),
      this.rows<{ age: string; count: number }>(AGES, []),
      this.rows<{ held_until: string | null }>(HELD, []),
    ]);
    const waiting = found.map(({ list: name, count, oldestAt, money }) => ({
      name,
      count,
      oldest_at: oldestAt?.toISOString() ?? null,
      money,
    }));
    return { waiting, open_by_age: ages, failover_held_until: held?.held_until ?? null };
  }

  private async rows<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

/** The first and the last id that begin so; none where it is no beginning of one, or too short a one. */
function idsFrom(beginning: string): readonly [string | null, string | null] {
  const digits = beginning.replaceAll('-', '');
  if (!/^[0-9a-f]{8,32}$/.test(digits)) return [null, null];
  return [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
}
