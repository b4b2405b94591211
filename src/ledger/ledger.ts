import { Inject, Injectable } from '@nestjs/common';
import { Pool, type PoolClient } from 'pg';
import { type LedgerAccount } from '../core/ledger-accounts.js';
import { Problem } from '../core/problem.js';
import { translateOutage } from '../database/store-unavailable.js';

/** Days of UTC, both included. */
export interface Days {
  /** `2026-11-22` */
  readonly from: string;
  readonly to: string;
}

/** The totals of one PSP account in one currency in these days, in minor units; and its balance at their end. */
export interface PspTotals {
  readonly psp: string;
  readonly currency: string;
  readonly taken: number;
  readonly refunded: number;
  readonly disputed: number;
  readonly paidOut: number;
  /** According to the imported reports of the PSP. */
  readonly fees: number;
  /** The amount that the PSP transferred to the bank. */
  readonly settled: number;
  /** The amount that the PSP holds for us and is still to pay out. */
  readonly held: number;
}

/** One line of the trial balance, in minor units. */
export interface Balance {
  readonly account: LedgerAccount;
  readonly currency: string;
  readonly debit: number;
  readonly credit: number;
}

export interface Balances {
  readonly psps: readonly PspTotals[];
  /** Everything until the end of these days; debits and credits of a currency are equal. */
  readonly trial: readonly Balance[];
  /** The time until which results of operations are posted; null: never yet. */
  readonly asOf: Date | null;
}

/** Left out: of all. */
export interface LedgerFilter {
  readonly psp?: string;
  readonly currency?: string;
  readonly merchantId?: string;
}

export interface StatementFilter extends LedgerFilter {
  readonly account?: LedgerAccount;
}

/** One entry, as statements show it. */
export interface Entry {
  readonly occurredAt: Date;
  readonly merchantId: string;
  readonly source: string;
  readonly line: number;
  readonly kind: string;
  readonly account: LedgerAccount;
  readonly psp: string;
  readonly currency: string;
  /** Debits are above zero, credits below. */
  readonly amount: number;
  readonly paymentId: string | null;
  readonly payoutId: string | null;
  /** The merchant's names for the payment or payout, and for the order. */
  readonly reference: string | null;
  readonly order: string | null;
}

const TOTALS = `
SELECT psp, currency,
       coalesce(sum(credit - debit) FILTER (WHERE account = 'merchant_payable' AND day >= $1), 0)::bigint AS taken,
       coalesce(sum(debit - credit) FILTER (WHERE account = 'refunds' AND day >= $1), 0)::bigint AS refunded,
       coalesce(sum(debit - credit) FILTER (WHERE account = 'disputes' AND day >= $1), 0)::bigint AS disputed,
       coalesce(sum(debit - credit) FILTER (WHERE account = 'payouts' AND day >= $1), 0)::bigint AS "paidOut",
       coalesce(sum(debit - credit) FILTER (WHERE account = 'fees' AND day >= $1), 0)::bigint AS fees,
       coalesce(sum(debit - credit) FILTER (WHERE account = 'bank' AND day >= $1), 0)::bigint AS settled,
       coalesce(sum(debit - credit) FILTER (WHERE account = 'psp_clearing'), 0)::bigint AS held
  FROM ledger_days
 WHERE day <= $2 AND ($3::text IS NULL OR psp = $3) AND ($4::text IS NULL OR currency = $4) AND ($5::uuid IS NULL OR merchant_id = $5)
 GROUP BY psp, currency ORDER BY psp, currency`;

const TRIAL = `
SELECT account, currency, sum(debit)::bigint AS debit, sum(credit)::bigint AS credit
  FROM ledger_days
 WHERE day <= $1 AND ($2::text IS NULL OR psp = $2) AND ($3::text IS NULL OR currency = $3) AND ($4::uuid IS NULL OR merchant_id = $4)
 GROUP BY account, currency ORDER BY currency, account`;

/** Entries of transactions that were posted before a transaction had its sides in its row. */
const POSTED_BEFORE = `(
  SELECT e.*, o.kind, o.payment_id, o.payout_id
    FROM ledger_entries e JOIN ledger_transactions o ON o.merchant_id = e.merchant_id AND o.source = e.source) t`;
/** The branches of the view `ledger_lines`, of which Postgres would sort all rows for each page. */
const SIDES = [
  ['1::smallint', 't.debit', 't.amount', 'ledger_transactions t', 't.debit IS NOT NULL'],
  ['2::smallint', 't.credit', '-t.amount', 'ledger_transactions t', 't.debit IS NOT NULL'],
  ['t.line', 't.account', 't.amount', POSTED_BEFORE, 'true'],
] as const;
const ORDER = '"occurredAt", "merchantId", source, line';
const AFTER = (line: string) =>
  `AND (t.occurred_at, t.merchant_id, t.source, ${line}) > ($8::timestamptz, $9::uuid, $10, $11::int)`;

/** Each side is read in the order of its index, so that a page costs the same beside millions. */
function entriesSql(isPage: boolean, isLater: boolean): string {
  const limit = isPage ? ' LIMIT $7' : '';
  const sides = SIDES.map(
    ([line, account, amount, from, where]) => `
(SELECT t.occurred_at AS "occurredAt", t.merchant_id AS "merchantId", t.source, ${line} AS line, t.kind, ${account} AS account,
        t.psp, t.currency, ${amount} AS amount, t.payment_id AS "paymentId", t.payout_id AS "payoutId"
   FROM ${from}
  WHERE ${where} AND t.occurred_at >= $1::date AT TIME ZONE 'UTC' AND t.occurred_at < ($2::date + 1) AT TIME ZONE 'UTC'
    AND ($3::text IS NULL OR ${account} = $3) AND ($4::text IS NULL OR t.psp = $4)
    AND ($5::text IS NULL OR t.currency = $5) AND ($6::uuid IS NULL OR t.merchant_id = $6) ${isLater ? AFTER(line) : ''}
  ORDER BY ${ORDER}${limit})`,
  );
  return `
SELECT s.*, coalesce(p.reference, o.reference) AS reference, p.order_reference AS "order"
  FROM (SELECT * FROM (${sides.join(' UNION ALL ')}) sides ORDER BY ${ORDER}${limit}) s
  LEFT JOIN payments p ON p.merchant_id = s."merchantId" AND p.id = s."paymentId"
  LEFT JOIN payouts o ON o.merchant_id = s."merchantId" AND o.id = s."payoutId"
 ORDER BY ${ORDER.replace('source', 's.source')}`;
}

const FETCH = 2_000;

/** Reads the ledger, for people and programs. */
@Injectable()
export class Ledger {
  constructor(@Inject(Pool) private readonly pool: Pick<Pool, 'query' | 'connect'>) {}

  async balances({ from, to }: Days, filter: LedgerFilter = {}): Promise<Balances> {
    const { psp = null, currency = null, merchantId = null } = filter;
    const [psps, trial, position] = await translateOutage(
      Promise.all([
        this.pool.query<PspTotals>(TOTALS, [from, to, psp, currency, merchantId]),
        this.pool.query<Balance>(TRIAL, [to, psp, currency, merchantId]),
        this.pool.query<{ asOf: Date | null }>('SELECT read_at AS "asOf" FROM ledger_position'),
      ]),
    );
    return { psps: psps.rows, trial: trial.rows, asOf: position.rows[0]?.asOf ?? null };
  }

  /** A page of entries, the oldest first. @throws Problem `validation_failed` for a cursor that is none */
  async statement(
    days: Days,
    filter: StatementFilter,
    limit: number,
    cursor: string | null,
  ): Promise<{ readonly entries: readonly Entry[]; readonly nextCursor: string | null }> {
    const after = cursor === null ? null : placeOf(cursor);
    const paged = entriesSql(true, after !== null);
    const values = [...valuesOf(days, filter), limit + 1, ...(after ?? [])];
    const { rows } = await translateOutage(this.pool.query<Entry>(paged, values));
    const entries = rows.slice(0, limit);
    return { entries, nextCursor: rows.length > limit ? cursorOf(entries.at(-1)!) : null };
  }

  /** Every entry, the oldest first, in constant memory. */
  async *entries(days: Days, filter: StatementFilter): AsyncGenerator<Entry> {
    const client: PoolClient = await translateOutage(this.pool.connect());
    try {
      await client.query('BEGIN TRANSACTION READ ONLY');
      await client.query(
        `DECLARE entries NO SCROLL CURSOR FOR ${entriesSql(false, false)}`,
        valuesOf(days, filter),
      );
      for (;;) {
        const { rows } = await client.query<Entry>(`FETCH ${FETCH} FROM entries`);
        if (rows.length === 0) return;
        yield* rows;
      }
    } finally {
      await client.query('ROLLBACK').catch(() => {});
      client.release();
    }
  }
}

function valuesOf({ from, to }: Days, { account, psp, currency, merchantId }: StatementFilter): unknown[] {
  return [from, to, account ?? null, psp ?? null, currency ?? null, merchantId ?? null];
}

type Place = readonly [occurredAt: string, merchantId: string, source: string, line: number];

function cursorOf({ occurredAt, merchantId, source, line }: Entry): string {
  const place: Place = [occurredAt.toISOString(), merchantId, source, line];
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function placeOf(cursor: string): Place {
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Place;
    const [occurredAt, merchantId, source, line] = place;
    const isPlace = !Number.isNaN(Date.parse(occurredAt)) && /^[0-9a-f-]{36}$/.test(merchantId);
    if (isPlace && typeof source === 'string' && !source.includes('\0') && Number.isSafeInteger(line))
      return place;
  } catch {
    // Refused below.
  }
  throw new Problem('validation_failed', 'The cursor is not the next_cursor of a page.');
}
