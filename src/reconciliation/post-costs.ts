import { type PoolClient } from 'pg';

/** Lines of one statement: what it posts is joined in memory. */
const CHUNK = 20_000;

/**
 * `$1` account, `$2` run, `$3` the last line that was looked at. What only reports show: what the PSP charges, and what
 * it transfers to the bank. A fee is the merchant's whose payment the line is about, and else of no merchant.
 */
const POST_COSTS = `
WITH line AS (
  SELECT l.psp, l.key, l.settled AS currency, l.occurred_at, l.psp_reference,
         coalesce(m.merchant_id, '00000000-0000-0000-0000-000000000000') AS merchant_id,
         CASE l.kind WHEN 'settlement' THEN 'settlement' ELSE 'fee' END AS kind,
         CASE WHEN l.kind = 'settlement' THEN -l.net WHEN l.kind = 'fee' THEN -l.net ELSE l.fee END AS cost
    FROM report_lines l LEFT JOIN LATERAL (
      SELECT merchant_id FROM reconciliation_matches WHERE psp = $1 AND line_key = l.key LIMIT 1
    ) m ON true
   WHERE l.psp = $1 AND l.run_id = $2 AND l.line > $3 AND l.line <= $3 + ${CHUNK}
), fact AS (
  SELECT *, 'report-' || psp || '-' || key || '#' || kind AS source,
         CASE kind WHEN 'settlement' THEN 'bank' ELSE 'fees' END AS account
    FROM line WHERE cost <> 0
)
INSERT INTO ledger_transactions (merchant_id, source, kind, psp, psp_reference, occurred_at, currency, amount, debit, credit)
SELECT merchant_id, source, kind, psp, psp_reference, occurred_at, currency, abs(cost),
       CASE WHEN cost > 0 THEN account ELSE 'psp_clearing' END, CASE WHEN cost > 0 THEN 'psp_clearing' ELSE account END
  FROM fact ON CONFLICT DO NOTHING`;

/** Posts what only this run shows; what an earlier one posted stays as it is. */
export async function postCosts(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  runId: string,
): Promise<void> {
  const { rows } = await client.query<{ last: number | null }>(
    'SELECT max(line) AS last FROM report_lines WHERE psp = $1 AND run_id = $2',
    [psp, runId],
  );
  for (let line = 0; line < (rows[0]!.last ?? 0); line += CHUNK) {
    await client.query(POST_COSTS, [psp, runId, line]);
  }
}
