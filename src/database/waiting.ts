import { type Pool } from 'pg';

/** True of the row `r` of psp_requests while an operator looks after it. */
export const IS_SNOOZED = `EXISTS (
  SELECT FROM operation_snoozes s
   WHERE s.merchant_id = r.merchant_id AND s.entity_key = r.entity_key AND s.until > now())`;

const OPEN_DISPUTES = `payments p CROSS JOIN LATERAL jsonb_array_elements(p.disputes) d
   WHERE p.disputes IS NOT NULL AND d ->> 'status' = 'open'`;
const OPEN_APPROVALS = `approvals a JOIN operators o ON o.id = a.requested_by LEFT JOIN operators me ON me.id = $1::uuid
   WHERE decision IS NULL AND expires_at > now()`;

/**
 * Everything that waits, as rows of `(currency, amount, since)`. An operation that a retry leaves stuck keeps the time at which
 * it first became stuck. `late_reports` are reports that did not come within a day after they were due, and refused ones, until
 * another report of the same time is imported.
 */
const LISTS = {
  stuck: `currency, amount, coalesce(first_stuck_at, stuck_at) FROM psp_requests r WHERE stuck_at IS NOT NULL AND NOT ${IS_SNOOZED}`,
  snoozed: `currency, amount, coalesce(first_stuck_at, stuck_at) FROM psp_requests r WHERE stuck_at IS NOT NULL AND ${IS_SNOOZED}`,
  open: `currency, amount, opened_at FROM psp_requests WHERE verdict = 'open' AND next_step_at IS NOT NULL`,
  orphans: `currency, amount, found_at FROM orphan_effects WHERE status NOT IN ('compensated', 'closed')`,
  breaks: `currency, abs(reported - expected), opened_at FROM reconciliation_breaks WHERE closed_at IS NULL`,
  disputes: `currency, (d ->> 'amount')::bigint, (d ->> 'openedAt')::timestamptz FROM ${OPEN_DISPUTES}`,
  disputes_due: `currency, (d ->> 'amount')::bigint, (d ->> 'respondBy')::timestamptz - interval '3 days'
    FROM ${OPEN_DISPUTES} AND (d ->> 'respondBy')::timestamptz - interval '3 days' < now()`,
  approvals: `NULL, NULL, requested_at FROM ${OPEN_APPROVALS} AND o.person IS DISTINCT FROM me.person`,
  own_approvals: `NULL, NULL, requested_at FROM ${OPEN_APPROVALS} AND o.person = me.person`,
  dead_letters: `NULL, NULL, died_at FROM dead_letters`,
  late_reports: `NULL, NULL, due_at FROM report_fetches f
   WHERE (state = 'refused' OR (state = 'due' AND due_at < now() - interval '1 day')) AND NOT EXISTS (
     SELECT FROM reconciliation_runs r
      WHERE r.psp = f.psp AND r.imported_at > f.due_at AND r.period_to >= coalesce(f.period_to, f.due_at - interval '7 days'))`,
} as const;
type ListName = keyof typeof LISTS;

export interface WaitingIn<List extends ListName> {
  readonly list: List;
  readonly count: number;
  readonly oldestAt: Date | null;
  readonly newestAt: Date | null;
  /** The sum in each currency in minor units, the commonest first; for breaks of what the two sides differ by. */
  readonly money: readonly { readonly currency: string; readonly amount: number }[];
}

/** The lists in this order, empty ones too. `operatorId`: whose own requests are no `approvals`; null: nobody's. */
export async function readWaiting<List extends ListName>(
  pool: Pick<Pool, 'query'>,
  lists: readonly List[],
  operatorId: string | null,
): Promise<WaitingIn<List>[]> {
  const each = lists.map((list) => `SELECT '${list}', ${LISTS[list]}`).join('\n  UNION ALL ');
  const { rows } = await pool.query<WaitingIn<List>>(
    `WITH each (list, currency, amount, since) AS (
  ${each})
SELECT list, sum(count)::int AS count, min(oldest) AS "oldestAt", max(newest) AS "newestAt",
       coalesce(json_agg(json_build_object('currency', currency, 'amount', amount) ORDER BY count DESC, currency)
                FILTER (WHERE amount > 0 AND currency IS NOT NULL), '[]') AS money
  FROM (SELECT list, currency, count(*), sum(amount) AS amount, min(since) AS oldest, max(since) AS newest
          FROM each GROUP BY list, currency) sums
 WHERE $1::uuid IS NULL OR true -- not every list asks who looks
 GROUP BY list`,
    [operatorId],
  );
  const none = { count: 0, oldestAt: null, newestAt: null, money: [] };
  return lists.map((list) => rows.find((row) => row.list === list) ?? { list, ...none });
}
