import { type PoolClient } from 'pg';
import { HAS_SIGN_OF_KIND } from './match.js';

/** The facts that a judgement rests on. */
interface JudgeOptions {
  /** How long a PSP may take to report an effect. */
  readonly slaMs: number;
  readonly now: Date;
  /** Names a run, or the task that found evidence later. */
  readonly by: string;
}

/**
 * The sums of the lines and the transactions of each of these units. By sets: of a million units, a look-up of each takes
 * minutes.
 */
const unitsOf = (units: string) => `
  WITH unit AS MATERIALIZED (${units}
  ), matched AS MATERIALIZED (
    SELECT m.unit, m.line_key, m.merchant_id, m.source
      FROM unit u JOIN reconciliation_matches m ON m.psp = $1 AND m.unit = u.unit
  ), said AS MATERIALIZED (
    SELECT d.unit, sum(l.gross)::bigint AS gross, max(abs(l.gross)) AS most, count(*) AS lines, min(l.currency) AS currency,
           max(l.key) AS line_key, max(l.occurred_at) AS occurred_at
      FROM (SELECT DISTINCT unit, line_key FROM matched) d
      JOIN report_lines l ON l.psp = $1 AND l.key = d.line_key
     GROUP BY d.unit
  ), posted AS MATERIALIZED (
    SELECT d.unit, sum(t.amount)::bigint AS amount, count(*) AS transactions, min(t.currency) AS currency,
           min(t.merchant_id::text)::uuid AS merchant_id, min(t.source) AS source, min(t.entity_key) AS entity_key,
           min(t.psp_reference) AS psp_reference
      FROM (SELECT DISTINCT unit, merchant_id, source FROM matched) d
      JOIN ledger_effects t ON t.merchant_id = d.merchant_id AND t.source = d.source
     GROUP BY d.unit
  )
  SELECT $1 AS psp, unit, l.gross AS reported, t.amount AS expected, l.currency AS line_currency, t.currency,
         l.lines, t.transactions, l.most, l.line_key, l.occurred_at, t.merchant_id, t.source, t.entity_key,
         t.psp_reference
    FROM said l JOIN posted t USING (unit)`;

/** Those that a break is open for. */
const OPEN_SUBJECTS = `
    SELECT subject AS unit FROM reconciliation_breaks WHERE psp = $1 AND closed_at IS NULL`;

/** Those of lines of the run `$2` too. */
const UNITS = unitsOf(`
    SELECT m.unit FROM report_lines l JOIN reconciliation_matches m ON m.psp = l.psp AND m.line_key = l.key
     WHERE l.psp = $1 AND l.run_id = $2
     UNION ${OPEN_SUBJECTS}`);

const open = (found: string) => `
INSERT INTO reconciliation_breaks (psp, id, category, subject, run_id, line_key, merchant_id, source, entity_key,
                                   psp_reference, currency, expected, reported, occurred_at, opened_at)
SELECT psp, gen_random_uuid(), category, subject, $2, line_key, merchant_id, source, entity_key, psp_reference, currency,
       expected, reported, occurred_at, $3
  FROM (${found}) found
ON CONFLICT (psp, subject) WHERE closed_at IS NULL DO NOTHING`;

const OPEN_UNITS = open(`
  SELECT psp, CASE WHEN line_currency <> currency THEN 'currency_mismatch'
                   WHEN lines > transactions AND most = abs(expected) AND abs(reported) > most THEN 'duplicate_effect'
                   ELSE 'amount_mismatch' END AS category,
         unit AS subject, line_key, merchant_id, source, entity_key, psp_reference, currency, expected, reported, occurred_at
    FROM (${UNITS}) unit WHERE line_currency <> currency OR reported <> expected`);

/** A line that nothing of ours is effective for. */
const OPEN_LINES = open(`
  SELECT l.psp, l.key AS line_key, 'line:' || l.key AS subject, coalesce(l.merchant_id, known.merchant_id) AS merchant_id,
         known.source, coalesce(l.entity_key, known.entity_key) AS entity_key, l.psp_reference, l.currency, 0 AS expected,
         l.gross AS reported, l.occurred_at,
         CASE WHEN known.source IS NOT NULL OR named.is_authorized OR NOT ${HAS_SIGN_OF_KIND} THEN 'status_mismatch'
              WHEN l.entity_key IS NULL THEN 'missing_here'
              WHEN done.is THEN 'duplicate_effect'
              WHEN l.evidence IS NULL THEN 'wrong_psp'
              ELSE 'late_success' END AS category
    FROM report_lines l
   -- The operation is done, or its order is paid by another payment.
   CROSS JOIN LATERAL (SELECT EXISTS (
     SELECT FROM psp_requests r WHERE r.merchant_id = l.merchant_id AND r.entity_key = l.entity_key
        AND r.verdict = 'effective')
     OR EXISTS (
     SELECT FROM psp_requests r JOIN payments p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
       JOIN payments o ON o.merchant_id = p.merchant_id AND o.order_reference = p.order_reference AND o.id <> p.id
      WHERE r.merchant_id = l.merchant_id AND r.entity_key = l.entity_key AND o.holds_order
        AND o.amount_captured > o.amount_refunded) AS is) done
    -- What the PSP took back: done by what is known here.
    LEFT JOIN LATERAL (
      SELECT t.merchant_id, t.source, t.entity_key FROM ledger_transactions t
       WHERE l.kind IN ('refund_reversed', 'payout_returned', 'dispute', 'dispute_reversed')
         AND t.psp = l.psp AND t.psp_reference IN (l.psp_reference, l.parent_reference)
       ORDER BY t.psp_reference = l.psp_reference DESC, t.occurred_at DESC LIMIT 1) known ON true
    LEFT JOIN LATERAL (
      SELECT (r.verdict = 'open' AND l.evidence = 'due') OR (r.operation <> 'authorize' AND is_same) AS waits,
             r.operation = 'authorize' AND is_same AS is_authorized
        FROM psp_requests r
       CROSS JOIN LATERAL (
         SELECT r.verdict = 'effective' AND r.psp = l.psp
            AND coalesce(r.psp_reference IN (l.psp_reference, l.parent_reference), false) AS is_same) s
       WHERE r.merchant_id = l.merchant_id AND r.entity_key = l.entity_key AND r.route = l.route) named ON true
   WHERE l.psp = $1 AND l.run_id = $2 AND NOT l.is_matched AND l.kind NOT IN ('fee', 'settlement', 'other')
     -- What is open is decided by the line, and what is effective is about to be posted: neither differs.
     AND named.waits IS NOT TRUE`);

/** A payment `o` of the day before `p` that looks like it, and is still captured. Ids begin with the time. */
const EARLIER_TWIN = `
  SELECT FROM payments o
   WHERE o.merchant_id = p.merchant_id AND o.reference = p.reference AND o.id < p.id
     AND o.id >= (lpad(to_hex((extract(epoch FROM p.created_at - interval '1 day') * 1000)::bigint), 12, '0')
       || repeat('0', 20))::uuid
     AND o.amount = p.amount AND o.currency = p.currency AND o.order_reference IS NULL
     AND o.amount_captured > o.amount_refunded`;

/** Payments that lines of the run report, each like one before it. What a person has closed stays closed. */
const OPEN_DUPLICATES = open(`
  SELECT t.psp, 'possible_duplicate' AS category, 'payment:' || p.id AS subject, NULL AS line_key, t.merchant_id, t.source,
         t.entity_key, t.psp_reference, t.currency, 0 AS expected, t.amount AS reported, t.occurred_at
    FROM report_lines l
    JOIN reconciliation_matches x ON x.psp = l.psp AND x.line_key = l.key
    JOIN ledger_effects t ON t.merchant_id = x.merchant_id AND t.source = x.source AND t.kind IN ('charge', 'capture')
    JOIN payments p ON p.merchant_id = t.merchant_id AND p.id = t.payment_id
    JOIN merchants m ON m.id = p.merchant_id AND m.payment_references = 'unique'
   WHERE l.psp = $1 AND l.run_id = $2 AND p.order_reference IS NULL AND p.amount_captured > p.amount_refunded
     AND EXISTS (${EARLIER_TWIN})
     AND NOT EXISTS (SELECT FROM reconciliation_breaks b WHERE b.psp = t.psp AND b.subject = 'payment:' || p.id)`);

const OPEN_FEES = open(`
  SELECT l.psp, 'fee_mismatch' AS category, 'fee:' || l.key AS subject, l.key AS line_key, t.merchant_id, t.source, t.entity_key,
         l.psp_reference, l.settled AS currency, l.gross - l.fee AS expected, l.net AS reported, l.occurred_at
    FROM report_lines l
    LEFT JOIN LATERAL (
      SELECT t.merchant_id, t.source, t.entity_key
        FROM reconciliation_matches m JOIN ledger_transactions t USING (merchant_id, source)
       WHERE m.psp = l.psp AND m.line_key = l.key LIMIT 1) t ON true
   WHERE l.psp = $1 AND l.run_id = $2 AND l.currency = l.settled AND l.kind IN ('payment', 'refund')
     AND l.gross - l.fee <> l.net`);

/** `$4` SLA in ms. What the ledger has and no report of the time it happened in. */
const OPEN_EFFECTS = open(`
  SELECT t.psp, CASE WHEN t.occurred_at <= p.period_to - $4 * interval '1 ms' THEN 'missing_at_psp' ELSE 'timing' END AS category,
         'effect:' || t.merchant_id || ':' || t.source AS subject, NULL AS line_key, t.merchant_id, t.source, t.entity_key,
         t.psp_reference, t.currency, t.amount AS expected, 0 AS reported, t.occurred_at
    FROM (SELECT psp, covers, period_to, least(period_from, coalesce((
            SELECT max(period_to) FROM reconciliation_runs b
             WHERE b.psp = r.psp AND b.covers = r.covers AND b.imported_at < r.imported_at), period_from)) AS since
            FROM reconciliation_runs r WHERE psp = $1 AND id = $2) p
    JOIN ledger_effects t ON t.psp = p.psp AND t.occurred_at >= p.since AND t.occurred_at <= p.period_to
   WHERE CASE WHEN t.kind IN ('charge', 'capture') OR (t.kind = 'orphan' AND t.amount > 0) THEN 'payment'
              WHEN t.kind IN ('refund', 'compensation', 'void', 'orphan', 'refund_reversed', 'compensation_reversed') THEN 'refund'
              WHEN t.kind IN ('payout', 'payout_returned') THEN 'payout'
              WHEN t.kind = 'dispute' THEN 'dispute' END = ANY (p.covers)
     -- A capture that failed is in no report.
     AND NOT (t.kind = 'capture' AND EXISTS (
       SELECT FROM ledger_transactions r WHERE r.merchant_id = t.merchant_id AND r.source = t.source || '#reversed'))
     AND NOT EXISTS (
       SELECT FROM reconciliation_matches m WHERE m.merchant_id = t.merchant_id AND m.source = t.source)`);

/** Which breaks later evidence has resolved, and why. Each by itself: together they are planned badly. */
const RESOLVED: readonly string[] = [
  `SELECT b.id, 'the transaction was reported' AS why FROM reconciliation_breaks b
     WHERE b.psp = $1 AND b.closed_at IS NULL AND b.category IN ('missing_at_psp', 'timing') AND EXISTS (
       SELECT FROM reconciliation_matches m WHERE m.merchant_id = b.merchant_id AND m.source = b.source)`,
  `SELECT b.id, 'what the line names is effective here' FROM reconciliation_breaks b
      JOIN report_lines l ON l.psp = b.psp AND l.key = b.line_key
     WHERE b.psp = $1 AND b.closed_at IS NULL AND l.is_matched
       AND b.category IN ('missing_here', 'status_mismatch') AND b.subject = 'line:' || l.key`,
  `SELECT b.id, 'the PSP gave back what was called back' FROM reconciliation_breaks b
      JOIN report_lines l ON l.psp = b.psp AND l.key = b.line_key
     WHERE b.psp = $1 AND b.closed_at IS NULL AND b.category = 'late_success' AND l.is_matched
       AND NOT EXISTS (SELECT FROM reconciliation_matches m WHERE m.psp = l.psp AND m.line_key = l.key)`,
  `SELECT b.id, 'one of the two was given back' FROM reconciliation_breaks b
      JOIN payments p ON p.merchant_id = b.merchant_id
       AND p.id = CASE b.category WHEN 'possible_duplicate' THEN substr(b.subject, length('payment:') + 1)::uuid END
     WHERE b.psp = $1 AND b.closed_at IS NULL AND b.category = 'possible_duplicate'
       AND (p.amount_captured = p.amount_refunded OR NOT EXISTS (${EARLIER_TWIN}))`,
  `SELECT b.id, 'the effect was given back' FROM reconciliation_breaks b
      JOIN orphan_effects o
        ON o.merchant_id = b.merchant_id AND o.entity_key = b.entity_key AND o.psp = b.psp
       AND o.psp_reference = b.psp_reference AND o.status IN ('compensated', 'closed')
     WHERE b.psp = $1 AND b.closed_at IS NULL AND b.category IN ('late_success', 'duplicate_effect', 'wrong_psp', 'contradiction', 'operation_unknown')`,
  `-- What a notification says, where the route or the ledger says the same by now.
    SELECT b.id, 'what the PSP said is so here' FROM reconciliation_breaks b
      JOIN webhook_inbox i ON i.psp = b.psp AND i.event_id = b.event_id
     WHERE b.psp = $1 AND b.closed_at IS NULL AND NOT EXISTS (
       SELECT FROM jsonb_array_elements(i.facts) WITH ORDINALITY AS e (fact, place)
        WHERE i.taken[place] IN ('contradiction', 'unknown') AND NOT (fact ->> 'about' = 'operation' AND (
          EXISTS (
            SELECT FROM psp_requests r
             WHERE r.psp = b.psp AND r.psp_reference = fact ->> 'pspReference'
               AND r.verdict = CASE fact #>> '{answer,outcome}' WHEN 'succeeded' THEN 'effective' WHEN 'declined' THEN 'ruled_out'
                                 WHEN 'canceled' THEN 'ruled_out' END
               AND coalesce((fact #>> '{answer,money,amount}')::bigint, r.amount) = r.amount
               AND coalesce(fact #>> '{answer,money,currency}', r.currency) = r.currency)
          OR (fact #>> '{answer,outcome}' IN ('declined', 'canceled') AND EXISTS (
            SELECT FROM ledger_transactions t
             WHERE t.psp = b.psp AND t.psp_reference = fact ->> 'pspReference'
               AND t.kind IN ('refund_reversed', 'payout_returned', 'compensation_reversed'))))))
       AND i.facts <> '[]'`,
  `SELECT b.id, 'a later report agrees with the ledger' FROM reconciliation_breaks b
     WHERE b.psp = $1 AND b.closed_at IS NULL AND b.category = 'contradiction' AND EXISTS (
       SELECT FROM report_lines l
         JOIN reconciliation_matches m ON m.psp = l.psp AND m.line_key = l.key
         JOIN reconciliation_runs r ON r.psp = l.psp
        WHERE l.psp = b.psp AND l.psp_reference = b.psp_reference AND r.imported_at >= b.opened_at
          AND r.period_to >= b.occurred_at AND NOT EXISTS (
            SELECT FROM reconciliation_breaks o
             WHERE o.psp = b.psp AND o.subject = m.unit AND o.closed_at IS NULL))`,
  `SELECT b.id, 'the amounts agree' FROM reconciliation_breaks b
      JOIN (${unitsOf(OPEN_SUBJECTS)}) unit ON unit.unit = b.subject
     WHERE b.psp = $1 AND b.closed_at IS NULL AND unit.reported = unit.expected AND unit.line_currency = unit.currency`,
];

/** `$2` now, `$3` who or what closes. */
const close = (resolved: string) => `
UPDATE reconciliation_breaks b SET closed_at = $2, closed_by = $3, resolution = found.why FROM (${resolved}) found (id, why)
 WHERE b.psp = $1 AND b.id = found.id AND b.closed_at IS NULL`;

/** A late effect is missing once the SLA is over, by the end of the reported time. */
const MISSING_NOW = `
UPDATE reconciliation_breaks b SET category = 'missing_at_psp'
 WHERE b.psp = $1 AND b.closed_at IS NULL AND b.category = 'timing'
   AND b.occurred_at <= (SELECT max(period_to) FROM reconciliation_runs r WHERE r.psp = $1) - $2 * interval '1 ms'`;

/** The changes for lines that were matched only now. */
export async function judgeUnits(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  runIds: readonly string[],
  now: Date,
): Promise<void> {
  for (const runId of runIds) await client.query(OPEN_UNITS, [psp, runId, now]);
}

/** Opens the breaks of a run, and closes those of any run that are resolved. */
export async function judgeRun(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  runId: string,
  { slaMs, now, by }: JudgeOptions,
): Promise<void> {
  for (const sql of [OPEN_UNITS, OPEN_LINES, OPEN_DUPLICATES, OPEN_FEES])
    await client.query(sql, [psp, runId, now]);
  await client.query(OPEN_EFFECTS, [psp, runId, now, slaMs]);
  await client.query('ANALYZE reconciliation_breaks');
  await closeResolved(client, psp, now, by);
  await client.query(MISSING_NOW, [psp, slaMs]);
}

export async function closeResolved(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  now: Date,
  by: string,
): Promise<void> {
  for (const resolved of RESOLVED) await client.query(close(resolved), [psp, now, by]);
}
