import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';
import { cursorOf, placeIn } from './place-cursor.js';
import { IS_SNOOZED } from '../database/waiting.js';
import { translateOutage } from '../database/store-unavailable.js';
import { type PageView } from '../core/page.view.js';
import { type OpenRow } from './console-views.js';

/** `stuck`: a person has to find out; `snoozed`: stuck, and an operator looks after it; `open`: tried again by itself. */
export const openLists = ['stuck', 'snoozed', 'open'] as const;
export type OpenListName = (typeof openLists)[number];

export const openOrders = ['oldest', 'newest', 'largest'] as const;
export type OpenOrder = (typeof openOrders)[number];

/** Members that are null narrow nothing. */
export interface OpenFilter {
  readonly list: OpenListName;
  readonly order: OpenOrder;
  readonly psp: string | null;
  readonly merchant: string | null;
  readonly currency: string | null;
  readonly reason: string | null;
}

const PAGE = 200;

const OPEN = `
SELECT r.merchant_id, m.name AS merchant, coalesce(pay.reference, po.reference) AS reference, r.payment_id, r.payout_id,
       r.entity_key, r.route, r.psp, r.amount,
       r.currency, r.opened_at, coalesce(r.first_stuck_at, r.stuck_at) AS stuck_at, r.stuck_reason AS reason, r.next_step_at, a.outcome AS last_outcome,
       s.until AS snoozed_until, w.name AS owner,
       EXISTS (SELECT FROM approvals p WHERE p.merchant_id = r.merchant_id AND p.action ->> 'entity_key' = r.entity_key
                  AND p.decision IS NULL AND p.expires_at > now()) AS waits_for_approval
  FROM (`;
const NAMED = `) r JOIN merchants m ON m.id = r.merchant_id
  LEFT JOIN payments pay ON pay.merchant_id = r.merchant_id AND pay.id = r.payment_id
  LEFT JOIN payouts po ON po.merchant_id = r.merchant_id AND po.id = r.payout_id
  LEFT JOIN LATERAL (SELECT outcome FROM psp_attempts a
     WHERE a.merchant_id = r.merchant_id AND a.entity_key = r.entity_key AND a.route = r.route
     ORDER BY attempt DESC LIMIT 1) a ON true
  LEFT JOIN operation_snoozes s ON s.merchant_id = r.merchant_id AND s.entity_key = r.entity_key AND s.until > now()
  LEFT JOIN operators w ON w.id = s.owner_id`;

const OF_LIST: Readonly<Record<OpenListName, string>> = {
  stuck: `stuck_at IS NOT NULL AND NOT ${IS_SNOOZED}`,
  snoozed: `stuck_at IS NOT NULL AND ${IS_SNOOZED}`,
  open: `verdict = 'open' AND next_step_at IS NOT NULL`,
};
/** A cursor knows no more of it. */
const OPENED = "date_trunc('milliseconds', r.opened_at)";
/** Orders of a list: by when it was opened, which no retry changes, or by the amount. The key makes each of them one. */
const ORDERS: Readonly<
  Record<OpenOrder, { readonly column: string; readonly type: string; readonly down: boolean }>
> = {
  oldest: { column: OPENED, type: 'timestamptz', down: false },
  newest: { column: OPENED, type: 'timestamptz', down: true },
  largest: { column: 'r.amount', type: 'bigint', down: true },
};

function textOf({ list, order }: OpenFilter): string {
  const { column, type, down } = ORDERS[order];
  const way = down ? 'DESC' : 'ASC';
  const by = `${column} ${way}, r.entity_key ${way}`;
  return `${OPEN}
  SELECT * FROM psp_requests r
   WHERE ${OF_LIST[list]} AND ($1::text IS NULL OR psp = $1) AND ($2::uuid IS NULL OR merchant_id = $2)
     AND ($3::text IS NULL OR currency = $3) AND ($4::text IS NULL OR stuck_reason = $4)
     AND ($5::${type} IS NULL OR (${column}, r.entity_key) ${down ? '<' : '>'} ($5::${type}, $6::text))
   ORDER BY ${by} LIMIT ${PAGE + 1}${NAMED} ORDER BY ${by}`;
}

/** Operations whose outcome is not known, over all merchants. An index holds those that are open, and one those that are stuck. */
@Injectable()
export class OpenOperations {
  constructor(private readonly pool: Pool) {}

  /** @throws Problem `validation_failed` for a cursor that is none */
  async list(filter: OpenFilter, cursor: string | null): Promise<PageView<OpenRow>> {
    const { psp, merchant, currency, reason, order } = filter;
    const [after = null, key = null] = placeIn(cursor, order === 'largest' ? 'amount' : 'time', 2);
    const { rows } = await translateOutage(
      this.pool.query<OpenRow>(textOf(filter), [psp, merchant, currency, reason, after, key]),
    );
    const data = rows.slice(0, PAGE);
    const last = data.at(-1);
    if (rows.length <= PAGE || !last) return { data, next_cursor: null };
    const by = order === 'largest' ? String(last.amount) : new Date(last.opened_at).toISOString();
    return { data, next_cursor: cursorOf([by, last.entity_key]) };
  }
}
