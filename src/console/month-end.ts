import { Inject, Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type Days, type LedgerFilter } from '../ledger/ledger.js';
import { pairTransfers } from '../reconciliation/pair-transfers.js';

/** Money that a PSP account still has to pay out in one currency, in minor units. */
export interface Owed {
  readonly psp: string;
  readonly currency: string;
  /** The balance of `psp_clearing`. */
  readonly held: number;
  /** Effects here that no report has yet, less those that are posted later than a report has them. */
  readonly notReported: number;
  /** Lines of reports, less fees, that no transfer has paid out. */
  readonly notTransferred: number;
  /** `held` less those two: corrections, other currencies, and what differs. */
  readonly rest: number;
  readonly items: number;
  readonly oldestAt: Date | null;
}

/** One thing that a PSP owes for, or has to be given. */
export interface OwedItem {
  readonly psp: string;
  readonly currency: string;
  readonly state: 'not_reported' | 'not_transferred' | 'posted_later';
  /** The kind of the effect or of the line. */
  readonly kind: string;
  readonly amount: number;
  readonly occurredAt: Date;
  readonly pspReference: string | null;
  readonly batch: string | null;
  readonly paymentId: string | null;
  readonly reference: string | null;
  readonly order: string | null;
  /** The place in the list. */
  readonly key: string;
}

/** A PSP's transfer to the bank with its booking there; null: no statement has one. */
export interface BookedTransfer {
  readonly psp: string;
  readonly batch: string | null;
  readonly currency: string;
  readonly amount: number;
  readonly at: Date;
  readonly booking: {
    readonly account: string;
    readonly at: Date;
    readonly reference: string | null;
  } | null;
}

/** The last booking day that the imported statements of a bank account reach. */
interface StatementEnd {
  readonly account: string;
  readonly until: Date;
}

export interface MonthlyFees {
  /** `2026-11` */
  readonly month: string;
  readonly psp: string;
  readonly currency: string;
  /** Null: no line names a payment, as of a fee for the account. */
  readonly merchantId: string | null;
  readonly merchant: string | null;
  readonly taken: number;
  readonly fees: number;
}

/** The accounts whose reports are statements of a bank: what they hold is at the bank already. */
const BANKS = `SELECT DISTINCT psp FROM reconciliation_runs WHERE format = 'iso20022-camt'`;

/**
 * `$1` the first moment after, `$2` PSP, `$3` currency, `$4` merchant; null does not narrow. A line is paid out where the
 * transfers of its batch reach it, the oldest first; lines without a batch share one. What transfers paid beyond or short of
 * whole lines is an item too, so that items sum to what reports leave owed. Effects that no report can have are none: a
 * capture that failed and its reversal, an orphan that was undone. One that was posted after the day that a report has it
 * on is taken off again, since the balance of that day has it not.
 */
const ITEMS = `
WITH transferred AS (
  SELECT psp, settled, coalesce(batch, '') AS batch, -sum(net) AS amount, max(occurred_at) AS at FROM report_lines
   WHERE kind = 'settlement' AND occurred_at < $1 AND psp NOT IN (${BANKS})
     AND ($2::text IS NULL OR psp = $2) AND ($3::text IS NULL OR settled = $3)
   GROUP BY 1, 2, 3
), numbered AS (
  SELECT l.*, t.amount AS paid, sum(l.net) OVER (PARTITION BY l.psp, l.settled, l.batch ORDER BY l.occurred_at, l.key) AS so_far
    FROM report_lines l
    LEFT JOIN transferred t ON t.psp = l.psp AND t.settled = l.settled AND t.batch = coalesce(l.batch, '')
   WHERE l.kind <> 'settlement' AND l.occurred_at < $1 AND l.psp NOT IN (${BANKS})
     AND ($2::text IS NULL OR l.psp = $2) AND ($3::text IS NULL OR l.settled = $3)
), reached AS (
  SELECT n.*, coalesce(bool_or(so_far <= paid) OVER (
           PARTITION BY psp, settled, batch ORDER BY occurred_at, key ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING), false) AS is_paid
    FROM numbered n
), covered AS (
  SELECT psp, settled, coalesce(batch, '') AS batch, sum(net) AS amount FROM reached WHERE is_paid GROUP BY 1, 2, 3
), items AS (
  SELECT psp, settled AS currency, 'not_transferred' AS state, kind, net::bigint AS amount, occurred_at, psp_reference, batch,
         m.merchant_id, m.payment_id, 'line ' || key AS key
    FROM reached r LEFT JOIN LATERAL (
      SELECT t.merchant_id, t.payment_id FROM reconciliation_matches m
        JOIN ledger_transactions t ON t.merchant_id = m.merchant_id AND t.source = m.source
       WHERE m.psp = r.psp AND m.line_key = r.key LIMIT 1) m ON true
   WHERE NOT is_paid AND net <> 0
  UNION ALL
  SELECT psp, settled, 'not_transferred', 'part_of_transfer', (coalesce(c.amount, 0) - t.amount)::bigint, t.at, NULL,
         nullif(batch, ''), NULL, NULL, 'transfer ' || batch
    FROM transferred t LEFT JOIN covered c USING (psp, settled, batch)
   WHERE coalesce(c.amount, 0) <> t.amount
  UNION ALL
  SELECT e.psp, e.currency, CASE WHEN is_later THEN 'posted_later' ELSE 'not_reported' END, e.kind,
         CASE WHEN is_later THEN -e.amount ELSE e.amount END, e.occurred_at, e.psp_reference, NULL,
         e.merchant_id, e.payment_id, 'effect ' || e.source
    FROM ledger_effects e CROSS JOIN LATERAL (SELECT e.occurred_at >= $1 AS is_later) l
   WHERE e.kind NOT IN ('fee', 'settlement', 'correction') AND e.psp NOT IN (${BANKS})
     AND ($2::text IS NULL OR e.psp = $2) AND ($3::text IS NULL OR e.currency = $3)
     AND is_later = EXISTS (
       SELECT FROM reconciliation_matches m JOIN report_lines l ON l.psp = m.psp AND l.key = m.line_key
        WHERE m.merchant_id = e.merchant_id AND m.source = e.source AND l.occurred_at < $1)
     AND (e.kind NOT IN ('capture', 'capture_reversed', 'orphan', 'orphan_undone') OR NOT EXISTS (
       SELECT FROM ledger_transactions o
        WHERE o.merchant_id = e.merchant_id
          AND o.source IN (e.source || '#reversed', e.source || '#undone', nullif(regexp_replace(e.source, '#(reversed|undone)$', ''), e.source))))
)`;

const OF_MERCHANT = '($4::uuid IS NULL OR merchant_id = $4)';

/** Transfers are of no merchant, so what is owed for one of them is its items. */
const OWED = `${ITEMS}, sums AS (
  SELECT psp, currency, count(*)::int AS items, min(occurred_at) AS oldest_at,
         coalesce(sum(amount) FILTER (WHERE state <> 'not_transferred'), 0) AS not_reported,
         coalesce(sum(amount) FILTER (WHERE state = 'not_transferred'), 0) AS not_transferred
    FROM items WHERE ${OF_MERCHANT} GROUP BY psp, currency
), held AS (
  SELECT psp, currency, sum(debit - credit) AS held FROM ledger_days
   WHERE account = 'psp_clearing' AND day < ($1 AT TIME ZONE 'UTC')::date AND psp NOT IN (${BANKS}) AND $4::uuid IS NULL
     AND ($2::text IS NULL OR psp = $2) AND ($3::text IS NULL OR currency = $3)
   GROUP BY psp, currency
), owed AS (
  SELECT psp, currency, coalesce(items, 0) AS items, oldest_at, coalesce(not_reported, 0) AS not_reported,
         coalesce(not_transferred, 0) AS not_transferred,
         CASE WHEN $4::uuid IS NULL THEN coalesce(held, 0) ELSE not_reported + not_transferred END AS held
    FROM held FULL JOIN sums USING (psp, currency)
)
SELECT psp, currency, held::bigint AS held, not_reported::bigint AS "notReported", not_transferred::bigint AS "notTransferred",
       (held - not_reported - not_transferred)::bigint AS rest, items, oldest_at AS "oldestAt"
  FROM owed WHERE held <> 0 OR items > 0 ORDER BY psp, currency`;

const PAGE = 200;
const PAGED = `${ITEMS}
SELECT i.psp, i.currency, i.state, i.kind, i.amount, i.occurred_at AS "occurredAt", i.psp_reference AS "pspReference", i.batch,
       i.payment_id AS "paymentId", p.reference, p.order_reference AS "order", i.key
  FROM items i LEFT JOIN payments p ON p.merchant_id = i.merchant_id AND p.id = i.payment_id
 WHERE ($4::uuid IS NULL OR i.merchant_id = $4) AND (i.occurred_at, i.key) > ($5::timestamptz, $6::text)
 ORDER BY i.occurred_at, i.key LIMIT $7`;

/** The most transfers of some days, and the most bookings around them. */
const MOST = 5_000;
/** Those of the days before and after take part: a booking is of one transfer, whichever is asked about. */
const TRANSFERS = `
SELECT psp, key, batch, settled AS currency, -net AS amount, occurred_at AS at, psp_reference AS "pspReference",
       occurred_at >= $1::date AT TIME ZONE 'UTC' AND occurred_at < ($2::date + 1) AT TIME ZONE 'UTC'
         AND ($3::text IS NULL OR psp = $3) AND ($4::text IS NULL OR settled = $4) AS "isAsked"
  FROM report_lines
 WHERE kind = 'settlement' AND net <> 0 AND occurred_at >= $1::date - 12 AND occurred_at < $2::date + 13
 ORDER BY occurred_at, psp, key LIMIT ${MOST + 1}`;
/** Bookings of amounts that were transferred; `pairTransfers` looks no further. */
const BOOKINGS = `
SELECT psp AS account, psp || ' ' || key AS key, currency, gross AS amount, occurred_at AS at, psp_reference AS "pspReference",
       reference, batch
  FROM report_lines b
 WHERE kind = 'other' AND psp IN (${BANKS}) AND occurred_at >= $1::date - 14 AND occurred_at < $2::date + 24
   AND EXISTS (SELECT FROM report_lines t WHERE t.kind = 'settlement' AND t.settled = b.currency AND -t.net = b.gross)
 ORDER BY occurred_at, psp, key LIMIT ${MOST + 1}`;
const STATEMENTS = `
SELECT psp AS account, max(period_to) AS until FROM reconciliation_runs WHERE format = 'iso20022-camt' GROUP BY psp ORDER BY psp`;

const FEES = `
SELECT to_char(day, 'YYYY-MM') AS month, d.psp, d.currency, m.id AS "merchantId", m.name AS merchant,
       coalesce(sum(d.credit - d.debit) FILTER (WHERE account = 'merchant_payable'), 0)::bigint AS taken,
       coalesce(sum(d.debit - d.credit) FILTER (WHERE account = 'fees'), 0)::bigint AS fees
  FROM ledger_days d LEFT JOIN merchants m ON m.id = d.merchant_id
 WHERE d.account IN ('fees', 'merchant_payable') AND d.day BETWEEN $1 AND $2
   AND ($3::text IS NULL OR d.psp = $3) AND ($4::text IS NULL OR d.currency = $4) AND ($5::uuid IS NULL OR d.merchant_id = $5)
 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 5, 4 LIMIT ${MOST + 1}`;

type OwedPlace = readonly [occurredAt: string, key: string];
interface TransferRow extends Omit<BookedTransfer, 'booking'> {
  readonly key: string;
  readonly isAsked: boolean;
  readonly pspReference: string | null;
}
interface BookingRow {
  readonly account: string;
  readonly key: string;
  readonly currency: string;
  readonly amount: number;
  readonly at: Date;
  readonly pspReference: string | null;
  readonly reference: string | null;
  readonly batch: string | null;
}

/** The figures that close a month, read from the ledger, from reports of PSPs and from statements of banks. */
@Injectable()
export class MonthEnd {
  constructor(@Inject(Pool) private readonly pool: Pick<Pool, 'query'>) {}

  /** The debt of each PSP account at the end of that day. */
  async owed(day: string, filter: LedgerFilter): Promise<Owed[]> {
    return this.read<Owed>(OWED, [endOf(day), ...valuesOf(filter)]);
  }

  /** A page of what makes it up, the oldest first. `next`: the place to go on after. */
  async items(
    day: string,
    filter: LedgerFilter,
    after: OwedPlace | null,
    limit = PAGE,
  ): Promise<{ readonly items: readonly OwedItem[]; readonly next: OwedPlace | null }> {
    const rows = await this.read<OwedItem>(PAGED, [
      endOf(day),
      ...valuesOf(filter),
      ...(after ?? ['-infinity', '']),
      limit + 1,
    ]);
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const next = last && rows.length > limit ? ([last.occurredAt.toISOString(), last.key] as const) : null;
    return { items, next };
  }

  /**
   * The transfers of these days, the oldest first, each with its booking at the bank.
   * @throws Problem `validation_failed` for more than can be held side by side
   */
  async transfers({ from, to }: Days, { psp, currency }: LedgerFilter): Promise<BookedTransfer[]> {
    const [transfers, bookings] = await Promise.all([
      this.read<TransferRow>(TRANSFERS, [from, to, psp ?? null, currency ?? null]).then(whole),
      this.read<BookingRow>(BOOKINGS, [from, to]).then(whole),
    ]);
    const given = (...texts: (string | null)[]) => texts.filter((text) => text !== null);
    const pairs = pairTransfers(
      transfers.map(({ psp: of, key, batch, pspReference, ...money }) => {
        return { ...money, key: `${of} ${key}`, names: given(batch, pspReference) };
      }),
      bookings.map((each) => ({ ...each, texts: given(each.pspReference, each.reference, each.batch) })),
    );
    return transfers.flatMap(({ key, pspReference: _reference, isAsked, ...transfer }) => {
      if (!isAsked) return [];
      const found = pairs.get(`${transfer.psp} ${key}`);
      const booking = found && {
        account: found.account,
        at: found.at,
        reference: found.pspReference ?? found.reference,
      };
      return [{ ...transfer, booking: booking ?? null }];
    });
  }

  async statements(): Promise<StatementEnd[]> {
    return this.read<StatementEnd>(STATEMENTS, []);
  }

  /** By month, PSP account, currency and merchant. */
  async fees({ from, to }: Days, filter: LedgerFilter): Promise<MonthlyFees[]> {
    return whole(await this.read<MonthlyFees>(FEES, [from, to, ...valuesOf(filter)]));
  }

  private async read<Row extends object>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return (await translateOutage(this.pool.query<Row>(sql, [...values]))).rows;
  }
}

/** @throws Problem `validation_failed`: a list that is cut would say something else than the whole */
function whole<Row>(rows: Row[]): Row[] {
  if (rows.length <= MOST) return rows;
  throw new Problem('validation_failed', `These days have more than ${MOST} rows: ask for fewer days.`);
}

function endOf(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 24 * 3_600_000);
}

function valuesOf({ psp, currency, merchantId }: LedgerFilter): (string | null)[] {
  return [psp ?? null, currency ?? null, merchantId ?? null];
}
