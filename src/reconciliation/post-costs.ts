/**
 * `$1` account, `$2` run. What only reports show: what the PSP charges, and what it transfers to the bank. A fee is the
 * merchant's whose payment the line is about, and else of no merchant.
 */
export const POST_COSTS = `
WITH line AS (
  SELECT l.psp, l.key, l.settled AS currency, l.occurred_at, l.psp_reference,
         coalesce(m.merchant_id, '00000000-0000-0000-0000-000000000000') AS merchant_id,
         CASE l.kind WHEN 'settlement' THEN 'settlement' ELSE 'fee' END AS kind,
         CASE WHEN l.kind = 'settlement' THEN -l.net WHEN l.kind = 'fee' THEN -l.net ELSE l.fee END AS cost
    FROM report_lines l LEFT JOIN (
      SELECT DISTINCT ON (line_key) line_key, merchant_id FROM reconciliation_matches WHERE psp = $1
    ) m ON m.line_key = l.key
   WHERE l.psp = $1 AND l.run_id = $2
), fact AS (
  SELECT *, 'report-' || psp || '-' || key || '#' || kind AS source FROM line WHERE cost <> 0
), posted AS (
  INSERT INTO ledger_transactions (merchant_id, source, kind, psp, psp_reference, occurred_at)
  SELECT merchant_id, source, kind, psp, psp_reference, occurred_at FROM fact ON CONFLICT DO NOTHING
  RETURNING merchant_id, source
)
INSERT INTO ledger_entries (merchant_id, source, line, account, psp, currency, amount, occurred_at)
SELECT f.merchant_id, f.source, e.line, e.account, f.psp, f.currency, e.amount, f.occurred_at
  FROM fact f JOIN posted USING (merchant_id, source)
 CROSS JOIN LATERAL (VALUES (1, CASE f.kind WHEN 'settlement' THEN 'bank' ELSE 'fees' END, f.cost),
                            (2, 'psp_clearing', -f.cost)) AS e (line, account, amount)`;
