import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * A transaction of the ledger moves one amount from one account to another, and its row says so: the two rows of
 * ledger_entries and their indexes cost three times as much. Those that are there stay; this version writes nothing there.
 */
export class PostingsInOneRow1700000000184 implements MigrationInterface {
  name = 'PostingsInOneRow1700000000184';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- All null: posted before, with its entries in ledger_entries.
ALTER TABLE ledger_transactions
  ADD debit text, ADD credit text, ADD currency text, ADD amount bigint,
  -- One amount on two sides sums to zero.
  ADD CONSTRAINT ledger_transactions_balance CHECK (
    num_nonnulls(debit, credit, currency, amount) IN (0, 4) AND debit <> credit AND amount > 0
    AND debit IN (${ACCOUNTS}) AND credit IN (${ACCOUNTS}) AND currency ~ '^[A-Z]{3}$');
CREATE INDEX ledger_transactions_debits ON ledger_transactions (debit, psp, currency, occurred_at)
  WHERE debit IS NOT NULL;
CREATE INDEX ledger_transactions_credits ON ledger_transactions (credit, psp, currency, occurred_at)
  WHERE debit IS NOT NULL;
CREATE INDEX ledger_transactions_moved ON ledger_transactions (occurred_at) WHERE debit IS NOT NULL;

CREATE FUNCTION payonce_ledger_moved() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_days AS d (merchant_id, account, psp, currency, day, debit, credit)
  SELECT merchant_id, account, psp, currency, (occurred_at AT TIME ZONE 'UTC')::date,
         coalesce(sum(amount) FILTER (WHERE is_debit), 0), coalesce(sum(amount) FILTER (WHERE NOT is_debit), 0)
    FROM posted CROSS JOIN LATERAL (VALUES (debit, true), (credit, false)) AS side (account, is_debit)
   WHERE account IS NOT NULL
   GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (merchant_id, account, psp, currency, day)
    DO UPDATE SET debit = d.debit + EXCLUDED.debit, credit = d.credit + EXCLUDED.credit;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transactions_days AFTER INSERT ON ledger_transactions
  REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION payonce_ledger_moved();

-- A process of the version before does not see what disputes have withheld in one row, and would post it again.
CREATE FUNCTION payonce_ledger_leave() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transactions_disputes BEFORE INSERT ON ledger_transactions
  FOR EACH ROW WHEN (NEW.kind = 'dispute' AND NEW.debit IS NULL) EXECUTE FUNCTION payonce_ledger_leave();

-- Every side of every transaction, for those who read. Debits are above zero, credits below.
CREATE VIEW ledger_lines WITH (security_invoker = true) AS
SELECT merchant_id, source, 1::smallint AS line, kind, debit AS account, psp, currency, amount, payment_id, payout_id,
       occurred_at, posted_at
  FROM ledger_transactions WHERE debit IS NOT NULL
UNION ALL
SELECT merchant_id, source, 2::smallint, kind, credit, psp, currency, -amount, payment_id, payout_id, occurred_at, posted_at
  FROM ledger_transactions WHERE debit IS NOT NULL
UNION ALL
SELECT e.merchant_id, e.source, e.line, t.kind, e.account, e.psp, e.currency, e.amount, t.payment_id, t.payout_id,
       e.occurred_at, t.posted_at
  FROM ledger_entries e JOIN ledger_transactions t ON t.merchant_id = e.merchant_id AND t.source = e.source;

-- What each transaction moved at its PSP; a transaction that moved nothing there is not among them.
CREATE VIEW ledger_effects WITH (security_invoker = true) AS
SELECT t.merchant_id, t.source, t.kind, t.psp, t.psp_reference, t.payment_id, t.payout_id, t.entity_key, t.occurred_at,
       moved.currency, moved.amount
  FROM ledger_transactions t CROSS JOIN LATERAL (
    SELECT t.currency, CASE t.debit WHEN 'psp_clearing' THEN t.amount ELSE -t.amount END AS amount
     WHERE 'psp_clearing' IN (t.debit, t.credit)
    UNION ALL
    SELECT e.currency, e.amount FROM ledger_entries e
     WHERE t.debit IS NULL AND e.merchant_id = t.merchant_id AND e.source = t.source AND e.account = 'psp_clearing') moved;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP VIEW ledger_effects, ledger_lines;
-- They are counted in ledger_days already.
ALTER TABLE ledger_entries DISABLE TRIGGER ledger_entries_balance;
INSERT INTO ledger_entries (merchant_id, source, line, account, psp, currency, amount, occurred_at)
SELECT merchant_id, source, side.line, account, psp, currency, sign * amount, occurred_at
  FROM ledger_transactions CROSS JOIN LATERAL (VALUES (1, debit, 1), (2, credit, -1)) AS side (line, account, sign)
 WHERE debit IS NOT NULL;
ALTER TABLE ledger_entries ENABLE TRIGGER ledger_entries_balance;
DROP TRIGGER ledger_transactions_disputes ON ledger_transactions;
DROP TRIGGER ledger_transactions_days ON ledger_transactions;
DROP FUNCTION payonce_ledger_leave(), payonce_ledger_moved();
ALTER TABLE ledger_transactions DROP debit, DROP credit, DROP currency, DROP amount;
`);
  }
}

const ACCOUNTS = `'psp_clearing', 'merchant_payable', 'refunds', 'payouts', 'disputes', 'fees', 'bank', 'orphans'`;
