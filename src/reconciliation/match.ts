import { type PoolClient, type QueryResult } from 'pg';

const DAY_MS = 24 * 3_600_000;

/** How lines of an account are held against the ledger. */
export interface ReconciliationRules {
  /** How long a PSP may take to report an effect. */
  readonly slaMs: number;
  /** How far times may differ where a line can be matched by its amount alone, */
  readonly toleranceMs: number;
  /** and amounts, in minor units by currency. */
  readonly toleranceAmounts: Readonly<Record<string, number>>;
}

/** The rules of an account that says nothing else. */
export const reconciliationRules: ReconciliationRules = {
  slaMs: 2 * DAY_MS,
  toleranceMs: DAY_MS,
  toleranceAmounts: {},
};

/** The kinds of the ledger's transactions, in the words of report lines. */
const EFFECTS = `
  SELECT merchant_id, source, psp, psp_reference, entity_key, occurred_at, currency, amount,
         CASE WHEN kind IN ('charge', 'capture', 'capture_reversed') OR (kind = 'orphan' AND amount > 0) THEN 'payment'
              WHEN kind IN ('refund', 'compensation', 'void', 'orphan') THEN 'refund'
              WHEN kind IN ('refund_reversed', 'compensation_reversed') THEN 'refund_reversed'
              WHEN kind IN ('payout', 'payout_returned') THEN kind
              WHEN kind = 'dispute' AND amount < 0 THEN 'dispute'
              WHEN kind = 'dispute' THEN 'dispute_reversed' END AS kind
    FROM ledger_effects WHERE kind NOT IN ('fee', 'settlement', 'orphan_undone')`;

/** Kinds of lines that are about something of ours. */
const OURS = `('payment', 'refund', 'refund_reversed', 'dispute', 'dispute_reversed', 'payout', 'payout_returned')`;

const record = (matched: string, by: string) => `
WITH matched AS (${matched}), written AS (
  INSERT INTO reconciliation_matches (psp, line_key, merchant_id, source, unit, matched_by)
  SELECT psp, key, merchant_id, source, unit, '${by}' FROM matched ON CONFLICT DO NOTHING
  RETURNING psp, line_key)
UPDATE report_lines l SET is_matched = true FROM (SELECT DISTINCT psp, line_key FROM written) w
 WHERE l.psp = w.psp AND l.key = w.line_key`;

/**
 * The two ids are of different objects: ids of one form that differ. (At Stripe a charge `ch_` and its payment
 * `pi_` are named side by side.) What carries an id is about the object that it names, whatever else it carries.
 */
const formOf = (id: string) => `CASE WHEN strpos(${id}, '_') > 0 THEN split_part(${id}, '_', 1) ELSE '' END`;
const ARE_OTHERS = `
  coalesce(x.psp_reference NOT IN (l.psp_reference, coalesce(l.parent_reference, l.psp_reference))
           AND ${formOf('x.psp_reference')} = ${formOf('l.psp_reference')}, false)`;

/** A transaction is of one unit, whichever of its lines came first. */
const UNIT = (otherwise: string) => `
  coalesce((SELECT min(y.unit) FROM reconciliation_matches y WHERE y.merchant_id = x.merchant_id AND y.source = x.source),
           ${otherwise})`;

/** The lines that one statement matches by the PSP's id: for a report of millions a single one would sort and join them all on disk. */
const CHUNK = 20_000;

/**
 * `$1` account, `$2` the key of the last line that was looked at. By the PSP's own id of what was done, or (a payment) of
 * what it was done to. All of one id are one unit. `OFFSET 0`: each line is looked up by the index on that id.
 */
const byPspReference = (column: string, kinds: string) => `
WITH chunk AS MATERIALIZED (
  SELECT key, kind, ${column} AS reference FROM report_lines
   WHERE psp = $1 AND NOT is_matched AND kind IN ${kinds} AND key > $2 ORDER BY key LIMIT ${CHUNK}
), written AS (
  INSERT INTO reconciliation_matches (psp, line_key, merchant_id, source, unit, matched_by)
  SELECT $1, l.key, x.merchant_id, x.source, ${UNIT("x.kind || ':' || x.psp_reference")}, 'psp_reference'
    FROM chunk l CROSS JOIN LATERAL (
      SELECT * FROM (${EFFECTS}) e
       WHERE e.psp = $1 AND e.psp_reference = l.reference AND e.kind = l.kind OFFSET 0) x
  ON CONFLICT DO NOTHING
  RETURNING line_key
), marked AS (
  UPDATE report_lines l SET is_matched = true FROM (SELECT DISTINCT line_key FROM written) w
   WHERE l.psp = $1 AND l.key = w.line_key
  RETURNING l.key
)
SELECT (SELECT count(*)::int FROM marked) AS matched, (SELECT max(key) FROM chunk) AS last`;

/** Transfers in a bank's statement that were refunds. */
const BANK_REFUNDS = `
UPDATE report_lines l SET kind = CASE l.kind WHEN 'payout' THEN 'refund' ELSE 'refund_reversed' END
  FROM bank_instructions i
 WHERE l.psp = $1 AND NOT l.is_matched AND l.kind IN ('payout', 'payout_returned')
   AND i.psp = l.psp AND i.end_to_end_id = l.psp_reference AND i.operation = 'refund'`;

/** A bank's booking of a whole file, or of a payment block of it, where what was done of it comes to that sum. */
const BY_BANK_FILE = record(
  `SELECT psp, key, merchant_id, source, unit FROM (
     SELECT l.psp, l.key, x.merchant_id, x.source, 'file:' || l.batch AS unit, l.gross,
            sum(x.amount) OVER (PARTITION BY l.key) AS amount
       FROM report_lines l
       JOIN bank_batches b ON b.psp = l.psp AND b.message_id = substring(l.batch FROM '^PO-[A-Z2-7]{16}-[0-9]+')
       JOIN bank_instructions i ON i.psp = b.psp AND i.batch = b.number AND l.batch IN (b.message_id, i.payment_block)
       JOIN (${EFFECTS}) x ON x.psp = i.psp AND x.psp_reference = i.end_to_end_id AND x.kind IN ('payment', 'refund', 'payout')
      WHERE l.psp = $1 AND NOT l.is_matched AND l.psp_reference IS NULL AND l.kind IN ('payment', 'payout')
        AND NOT EXISTS (SELECT FROM reconciliation_matches y WHERE y.merchant_id = x.merchant_id AND y.source = x.source)
   ) file WHERE amount = gross`,
  'psp_reference',
);

/** Our own name of an operation. */
const NAME = '^(payment|payout)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-';
/** The merchant of the payment or payout that the line names. */
const OWNER = `
       SELECT merchant_id FROM payments
        WHERE id = CASE WHEN l.reference ~ '${NAME}' AND l.reference LIKE 'payment-%' THEN substr(l.reference, 9, 36)::uuid END
       UNION ALL
       SELECT merchant_id FROM payouts
        WHERE id = CASE WHEN l.reference ~ '${NAME}' AND l.reference LIKE 'payout-%' THEN substr(l.reference, 8, 36)::uuid END`;

/** Finds it by our own name of the operation, where no line is about it yet and no id says that it is another. */
const BY_REFERENCE = record(
  `SELECT l.psp, l.key, x.merchant_id, x.source, x.kind || ':' || x.entity_key AS unit
     FROM report_lines l CROSS JOIN LATERAL (${OWNER}) m
     JOIN (${EFFECTS}) x
       ON x.merchant_id = m.merchant_id AND x.source >= l.reference || '#' AND x.source < l.reference || '$'
      AND x.psp = l.psp AND x.kind = l.kind
    WHERE l.psp = $1 AND NOT l.is_matched AND l.kind IN ${OURS} AND NOT ${ARE_OTHERS} AND l.reference ~ '${NAME}'
      AND NOT EXISTS (SELECT FROM reconciliation_matches y WHERE y.merchant_id = x.merchant_id AND y.source = x.source)`,
  'reference',
);

/**
 * `$2` tolerance in ms, `$3` tolerances in minor units by currency. By amount, currency and time, where one line and one
 * transaction fit each other and no other, and one of them carries no id of the PSP: what carries an id is about the
 * object that it names.
 */
const byAmount = (amountsFit: string) =>
  record(
    `SELECT psp, key, merchant_id, source, kind || ':' || source AS unit FROM (
     SELECT l.psp, l.key, x.merchant_id, x.source, x.kind,
            count(*) OVER (PARTITION BY l.psp, l.key) AS of_line,
            count(*) OVER (PARTITION BY x.merchant_id, x.source) AS of_effect
       FROM report_lines l JOIN (${EFFECTS}) x
         ON x.psp = l.psp AND x.kind = l.kind AND x.currency = l.currency AND ${amountsFit}
        AND x.occurred_at BETWEEN l.occurred_at - $2 * interval '1 ms' AND l.occurred_at + $2 * interval '1 ms'
      WHERE l.psp = $1 AND NOT l.is_matched AND l.kind IN ${OURS}
        AND (l.psp_reference IS NULL OR x.psp_reference IS NULL)
        AND NOT EXISTS (SELECT FROM reconciliation_matches y WHERE y.merchant_id = x.merchant_id AND y.source = x.source)
   ) fitting WHERE of_line = 1 AND of_effect = 1`,
    'amount',
  );
const BY_AMOUNT = byAmount('x.amount = l.gross');
const NEAR_AMOUNT = byAmount('abs(x.amount - l.gross) <= coalesce(($3::jsonb ->> l.currency)::bigint, 0)');

/**
 * A charge whose answer was lost may be called back before it is known that it was made: then the PSP made it and gave it
 * back, and nothing of it is effective here. Its two lines settle each other: what is reported twice is not given back twice.
 */
const CALLED_BACK = `
UPDATE report_lines l SET is_matched = true
  FROM (
    SELECT p.key AS payment, dense_rank() OVER (PARTITION BY p.psp_reference ORDER BY p.key) AS of_payments,
           b.key AS refund, dense_rank() OVER (PARTITION BY p.psp_reference ORDER BY b.key) AS of_refunds
      FROM report_lines p
      JOIN report_lines b
        ON b.psp = p.psp AND NOT b.is_matched AND b.kind = 'refund' AND b.parent_reference = p.psp_reference
       AND b.currency = p.currency AND b.gross = -p.gross
     WHERE p.psp = $1 AND NOT p.is_matched AND p.kind = 'payment' AND EXISTS (
       SELECT FROM (
         SELECT r.* FROM psp_requests r WHERE r.psp = p.psp AND r.psp_reference = p.psp_reference
         UNION ALL
         SELECT r.* FROM (SELECT p.reference) l CROSS JOIN LATERAL (${OWNER}) m
           JOIN psp_requests r ON r.merchant_id = m.merchant_id AND r.entity_key = p.reference AND r.psp = p.psp
       ) r JOIN psp_attempts a USING (merchant_id, entity_key, route)
       WHERE r.verdict = 'ruled_out' AND a.kind = 'cancel' AND a.outcome = 'canceled')
  ) pair
 WHERE l.psp = $1 AND of_payments = of_refunds AND l.key IN (pair.payment, pair.refund)`;

const MANY = 1_000;

/** Matches what is not matched yet of this account, by the best evidence first. Returns how many lines that were. */
export async function matchLines(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  { toleranceMs, toleranceAmounts }: ReconciliationRules,
): Promise<number> {
  const byTolerance = Object.keys(toleranceAmounts).length > 0;
  await client.query(BANK_REFUNDS, [psp]);
  const steps: readonly (readonly [sql: string, values: readonly unknown[]])[] = [
    [BY_BANK_FILE, [psp]],
    [BY_REFERENCE, [psp]],
    [BY_AMOUNT, [psp, toleranceMs]],
    ...(byTolerance ? [[NEAR_AMOUNT, [psp, toleranceMs, toleranceAmounts]] as const] : []),
    [CALLED_BACK, [psp]],
  ];
  let matched = 0;
  const done = async (count: number) => {
    matched += count;
    // The next steps are for what is left: planned for all that was there they would read all of the ledger.
    if (count > MANY) await client.query('ANALYZE report_lines, reconciliation_matches');
  };
  await done(await matchByPspReference(client, psp, byPspReference('psp_reference', OURS)));
  await done(await matchByPspReference(client, psp, byPspReference('parent_reference', "('payment')")));
  for (const [sql, values] of steps) await done((await client.query(sql, [...values])).rowCount ?? 0);
  await client.query(NAMED, [psp]);
  return matched;
}

async function matchByPspReference(
  client: Pick<PoolClient, 'query'>,
  psp: string,
  sql: string,
): Promise<number> {
  let matched = 0;
  // Ends: each chunk begins behind the one before.
  for (let last: string | null = ''; last !== null;) {
    const chunk: QueryResult<{ matched: number; last: string | null }> = await client.query(sql, [psp, last]);
    matched += chunk.rows[0]!.matched;
    last = chunk.rows[0]!.last;
  }
  return matched;
}

/** The money moved as its kind says: a line of money that is taken back (a charge that failed later) proves nothing good. */
export const HAS_SIGN_OF_KIND = `
  sign(l.gross) = CASE WHEN l.kind IN ('payment', 'refund_reversed', 'dispute_reversed', 'payout_returned') THEN 1 ELSE -1 END`;

/**
 * A line that names an operation which is not effective here: the route that it proves effective, whose owner takes in the line.
 * Finds the route by the PSP's id, or by our own name where only one route was at this account. Money that moved the other
 * way is a break.
 */
const NAMED = `
UPDATE report_lines l
   SET merchant_id = r.merchant_id, entity_key = r.entity_key, route = r.route,
       evidence = CASE WHEN r.psp = l.psp AND NOT r.is_known AND ${HAS_SIGN_OF_KIND} THEN 'due' END
  FROM (
    SELECT DISTINCT ON (n.key) n.key, n.merchant_id, n.entity_key, n.route, n.psp,
             -- This very object is effective here already; the ledger is about to have it.
             n.verdict = 'effective' AND n.psp_reference IN (o.psp_reference, o.parent_reference) AS is_known
      FROM (
        SELECT l.key, 1 AS rank, r.* FROM report_lines l JOIN psp_requests r
            ON r.psp = l.psp AND r.psp_reference IN (l.psp_reference, CASE l.kind WHEN 'payment' THEN l.parent_reference END)
         WHERE l.psp = $1 AND NOT l.is_matched AND l.entity_key IS NULL
        UNION ALL
        SELECT l.key, CASE WHEN r.psp = l.psp THEN 2 ELSE 3 END, r.* FROM report_lines l CROSS JOIN LATERAL (${OWNER}) m
          JOIN psp_requests r ON r.merchant_id = m.merchant_id AND r.entity_key = l.reference
         WHERE l.reference ~ '${NAME}' AND l.psp = $1 AND NOT l.is_matched AND l.entity_key IS NULL
      ) n JOIN report_lines o ON o.psp = $1 AND o.key = n.key
     WHERE o.kind = CASE WHEN n.operation IN ('charge', 'authorize', 'capture') THEN 'payment' ELSE n.operation END
     ORDER BY n.key, n.rank, n.verdict = 'ruled_out', n.route DESC
  ) r
 WHERE l.psp = $1 AND l.key = r.key`;
