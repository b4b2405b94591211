import { type PoolClient } from 'pg';

/** A payment or a payout, whose routes are posted together. */
export interface Subject {
  readonly merchantId: string;
  /** `payment-<id>` or `payout-<id>`: the beginning of all its entity keys. */
  readonly name: string;
}

/**
 * `$1` merchants, `$2` names of subjects. What moved money, from the rows that say so, as transactions;
 * those that are posted already are left alone. A PSP's clearing account holds what that PSP holds for us.
 *
 * - a charge or a capture: the PSP holds more, and the merchant is owed more
 * - a capture that failed later is posted the other way round
 * - a void of a charge takes that back: what was canceled turned out to be charged
 * - a refund, a payout: the PSP holds less; one that came to nothing is posted the other way round
 * - a dispute: as much as the PSP holds back more, or less, than was posted
 * - an orphan effect is no merchant's money until its compensation gives it back
 *
 * `OFFSET 0` keeps each look-up a look-up by index for each subject. The planner takes the range of entity keys for a
 * two-hundredth of a merchant's routes, and would join the whole table instead.
 */
const POST = `
WITH subject AS (
  SELECT DISTINCT merchant_id, name FROM unnest($1::uuid[], $2::text[]) AS s (merchant_id, name)
), route AS MATERIALIZED (
  SELECT r.merchant_id, r.entity_key, r.route, r.operation, r.payment_id, r.payout_id, r.psp, r.amount, r.currency,
         r.decided_at, r.psp_reference, r.entity_key || '#' || r.route AS source,
         starts_with(r.entity_key, 'payment-' || r.payment_id || '-orphan-') AS of_orphan
    FROM subject s CROSS JOIN LATERAL (
      SELECT * FROM psp_requests r
       WHERE r.merchant_id = s.merchant_id AND r.entity_key >= s.name || '-' AND r.entity_key < s.name || '.' OFFSET 0) r
   WHERE r.verdict = 'effective' AND r.operation <> 'authorize'
), orphan AS MATERIALIZED (
  SELECT o.merchant_id, o.entity_key, o.operation, r.payment_id, o.psp, o.amount, o.currency, o.found_at, o.status, o.psp_reference,
         o.entity_key || '#' || o.route || '#orphan' || o.object AS source,
         s.name || '-orphan-' || o.route || CASE o.object WHEN 1 THEN '' ELSE '-' || o.object END AS compensation
    FROM subject s CROSS JOIN LATERAL (
      SELECT * FROM orphan_effects o
       WHERE o.merchant_id = s.merchant_id AND o.entity_key >= s.name || '-' AND o.entity_key < s.name || '.' OFFSET 0) o
    CROSS JOIN LATERAL (
      SELECT r.payment_id FROM psp_requests r
       WHERE r.merchant_id = o.merchant_id AND r.entity_key = o.entity_key AND r.route = o.route OFFSET 0) r
   WHERE o.operation IN ('charge', 'capture', 'refund', 'payout')
), dispute AS (
  SELECT p.merchant_id, p.id AS payment_id, p.psp, p.currency, p.updated_at, 'dispute-' || d.id AS name, d.stage,
         d."pspReference" AS psp_reference,
         d."amountWithheld" - coalesce((
           SELECT sum(amount) FROM ledger_lines e
            WHERE e.merchant_id = p.merchant_id AND e.account = 'disputes'
              AND e.source >= 'dispute-' || d.id || '#' AND e.source < 'dispute-' || d.id || '$'), 0)::bigint AS delta
    FROM subject s CROSS JOIN LATERAL (
      SELECT * FROM payments p
       WHERE p.merchant_id = s.merchant_id
         AND p.id = CASE WHEN s.name LIKE 'payment-%' THEN substr(s.name, 9)::uuid END OFFSET 0) p
   CROSS JOIN LATERAL jsonb_to_recordset(p.disputes) AS d (id text, stage int, "pspReference" text, "amountWithheld" bigint)
), fact (merchant_id, source, kind, psp, psp_reference, payment_id, payout_id, entity_key, occurred_at, currency, amount, debit, credit) AS (
  SELECT merchant_id, source, CASE WHEN of_orphan THEN 'compensation' ELSE operation END, psp, psp_reference, payment_id, payout_id,
         entity_key, decided_at, currency, amount,
         CASE WHEN of_orphan THEN 'orphans' WHEN operation = 'refund' THEN 'refunds'
              WHEN operation = 'payout' THEN 'payouts' ELSE 'psp_clearing' END,
         CASE WHEN operation IN ('charge', 'capture') THEN 'merchant_payable' ELSE 'psp_clearing' END
    FROM route WHERE operation IN ('charge', 'capture', 'refund', 'payout')
  UNION ALL
  SELECT v.merchant_id, v.source, 'void', c.psp, v.psp_reference, v.payment_id, NULL, v.entity_key, v.decided_at, c.currency, c.amount,
         'merchant_payable', 'psp_clearing'
    FROM route v JOIN route c ON c.merchant_id = v.merchant_id AND c.payment_id = v.payment_id AND c.operation = 'charge'
   WHERE v.operation = 'void' AND NOT v.of_orphan
  UNION ALL
  SELECT r.merchant_id, r.source || '#reversed', 'capture_reversed', r.psp, r.psp_reference, r.payment_id, NULL, r.entity_key,
         t.at, r.currency, r.amount, 'merchant_payable', 'psp_clearing'
    FROM route r CROSS JOIN LATERAL (
      SELECT t.at FROM payment_transitions t
       WHERE t.merchant_id = r.merchant_id AND t.payment_id = r.payment_id AND t.event = 'capture_reversed'
         AND t.entity_key = r.entity_key OFFSET 0) t
   WHERE r.operation = 'capture'
  UNION ALL
  SELECT r.merchant_id, r.source || '#reversed', 'refund_reversed', r.psp, r.psp_reference, r.payment_id, NULL, r.entity_key,
         f.updated_at, r.currency, r.amount, 'psp_clearing', 'refunds'
    FROM route r CROSS JOIN LATERAL (
      SELECT f.updated_at, f.status FROM refunds f
       WHERE f.merchant_id = r.merchant_id AND f.entity_key = r.entity_key OFFSET 0) f
   WHERE r.operation = 'refund' AND f.status = 'failed'
  UNION ALL
  SELECT r.merchant_id, r.source || '#returned', 'payout_returned', r.psp, r.psp_reference, NULL, r.payout_id, r.entity_key,
         p.updated_at, r.currency, r.amount, 'psp_clearing', 'payouts'
    FROM route r CROSS JOIN LATERAL (
      SELECT p.updated_at, p.status FROM payouts p WHERE p.merchant_id = r.merchant_id AND p.id = r.payout_id OFFSET 0) p
   WHERE r.operation = 'payout' AND p.status NOT IN ('processing', 'paid')
  UNION ALL
  SELECT merchant_id, name || '#' || stage, 'dispute', psp, psp_reference, payment_id, NULL, NULL, updated_at, currency, abs(delta),
         CASE WHEN delta > 0 THEN 'disputes' ELSE 'psp_clearing' END,
         CASE WHEN delta > 0 THEN 'psp_clearing' ELSE 'disputes' END
    FROM dispute WHERE delta <> 0
  UNION ALL
  SELECT merchant_id, source, 'orphan', psp, psp_reference, payment_id, NULL, entity_key, found_at, currency, amount,
         CASE WHEN operation IN ('charge', 'capture') THEN 'psp_clearing' ELSE 'orphans' END,
         CASE WHEN operation IN ('charge', 'capture') THEN 'orphans' ELSE 'psp_clearing' END
    FROM orphan
  UNION ALL
  -- The PSP had undone it by itself, so there was nothing to give back.
  SELECT o.merchant_id, o.source || '#undone', 'orphan_undone', o.psp, o.psp_reference, o.payment_id, NULL, o.entity_key, o.found_at,
         o.currency, o.amount,
         CASE WHEN o.operation IN ('charge', 'capture') THEN 'orphans' ELSE 'psp_clearing' END,
         CASE WHEN o.operation IN ('charge', 'capture') THEN 'psp_clearing' ELSE 'orphans' END
    FROM orphan o
   WHERE o.status = 'compensated' AND NOT EXISTS (
     SELECT FROM route r WHERE r.merchant_id = o.merchant_id AND r.entity_key = o.compensation)
  UNION ALL
  SELECT o.merchant_id, r.source || '#reversed', 'compensation_reversed', r.psp, r.psp_reference, r.payment_id, NULL, r.entity_key,
         r.decided_at, r.currency, r.amount, 'psp_clearing', 'orphans'
    FROM orphan o JOIN route r ON r.merchant_id = o.merchant_id AND r.entity_key = o.compensation
   WHERE o.status = 'failed' AND r.operation = 'refund'
), posted AS (
  INSERT INTO ledger_transactions (merchant_id, source, kind, psp, psp_reference, payment_id, payout_id, entity_key, occurred_at,
                                   currency, amount, debit, credit)
  SELECT * FROM fact
  ON CONFLICT DO NOTHING
  RETURNING 1
)
SELECT count(*)::int AS count FROM posted`;

/** Posts what these have come to and what is not posted yet. Returns how many transactions that were. */
export async function post(client: Pick<PoolClient, 'query'>, subjects: readonly Subject[]): Promise<number> {
  if (subjects.length === 0) return 0;
  const { rows } = await client.query<{ count: number }>(POST, [
    subjects.map(({ merchantId }) => merchantId),
    subjects.map(({ name }) => name),
  ]);
  return rows[0]!.count;
}
