import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Double entry: what each operation moved, between which accounts. */
export class Ledger1700000000060 implements MigrationInterface {
  name = 'Ledger1700000000060';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row for each thing that moved money. source names it and nothing else, so that it is posted once.
CREATE TABLE ledger_transactions (
  merchant_id uuid        NOT NULL,
  source      text        COLLATE "C" NOT NULL CHECK (length(source) BETWEEN 1 AND 400),
  kind        text        NOT NULL CHECK (kind IN ('charge', 'capture', 'void', 'refund', 'refund_reversed', 'payout',
                            'payout_returned', 'dispute', 'orphan', 'orphan_undone', 'compensation',
                            'compensation_reversed', 'fee', 'settlement')),
  psp         text        NOT NULL,
  payment_id  uuid,
  payout_id   uuid,
  entity_key  text        COLLATE "C",
  occurred_at timestamptz(3) NOT NULL,
  posted_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT ledger_transactions_pkey PRIMARY KEY (merchant_id, source)
);
-- Debits are above zero, credits below.
CREATE TABLE ledger_entries (
  merchant_id uuid        NOT NULL,
  source      text        COLLATE "C" NOT NULL,
  line        smallint    NOT NULL CHECK (line > 0),
  account     text        NOT NULL CHECK (account IN ('psp_clearing', 'merchant_payable', 'refunds', 'payouts',
                            'disputes', 'fees', 'bank', 'orphans')),
  psp         text        NOT NULL,
  currency    text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  amount      bigint      NOT NULL CHECK (amount <> 0),
  occurred_at timestamptz(3) NOT NULL,
  PRIMARY KEY (merchant_id, source, line),
  CONSTRAINT ledger_entries_of_transaction FOREIGN KEY (merchant_id, source)
    REFERENCES ledger_transactions (merchant_id, source)
);
CREATE INDEX ledger_entries_statement ON ledger_entries (account, psp, currency, occurred_at);
CREATE INDEX ledger_entries_in_time ON ledger_entries (occurred_at);
-- The sums of a day (UTC), kept by the trigger below, so that a balance costs the same after years.
CREATE TABLE ledger_days (
  merchant_id uuid    NOT NULL,
  account     text    NOT NULL,
  psp         text    NOT NULL,
  currency    text    NOT NULL,
  day         date    NOT NULL,
  debit       numeric NOT NULL,
  credit      numeric NOT NULL,
  PRIMARY KEY (merchant_id, account, psp, currency, day)
);

CREATE TRIGGER ledger_transactions_append_only BEFORE UPDATE OR DELETE ON ledger_transactions
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

-- The entries of a transaction that one statement writes sum to zero in each currency; what a later statement adds
-- has to sum to zero by itself, so every transaction always does.
CREATE FUNCTION payonce_ledger_posted() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  wrong record;
BEGIN
  SELECT source, currency, sum(amount) AS over INTO wrong FROM posted
   GROUP BY merchant_id, source, currency HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the entries of % in % sum to %', wrong.source, wrong.currency, wrong.over
      USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_entries_balance';
  END IF;
  INSERT INTO ledger_days AS d (merchant_id, account, psp, currency, day, debit, credit)
  SELECT merchant_id, account, psp, currency, (occurred_at AT TIME ZONE 'UTC')::date,
         coalesce(sum(amount) FILTER (WHERE amount > 0), 0), coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)
    FROM posted GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (merchant_id, account, psp, currency, day)
    DO UPDATE SET debit = d.debit + EXCLUDED.debit, credit = d.credit + EXCLUDED.credit;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS posted FOR EACH STATEMENT EXECUTE FUNCTION payonce_ledger_posted();

-- What an event does not tell of: these changes are rare, so the hot path pays nothing for the triggers.
CREATE TABLE ledger_due (
  merchant_id uuid NOT NULL,
  payment_id  uuid NOT NULL,
  id          uuid NOT NULL DEFAULT gen_random_uuid(),
  PRIMARY KEY (merchant_id, payment_id, id)
);
CREATE FUNCTION payonce_ledger_due_dispute() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_due (merchant_id, payment_id) VALUES (NEW.merchant_id, NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER payments_ledger_due AFTER UPDATE OF disputes ON payments
  FOR EACH ROW WHEN (NEW.disputes IS DISTINCT FROM OLD.disputes) EXECUTE FUNCTION payonce_ledger_due_dispute();
CREATE FUNCTION payonce_ledger_due_orphan() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_due (merchant_id, payment_id)
  SELECT merchant_id, payment_id FROM psp_requests r
   WHERE r.merchant_id = NEW.merchant_id AND r.entity_key = NEW.entity_key AND r.route = NEW.route
     AND r.payment_id IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER orphan_effects_ledger_due AFTER INSERT OR UPDATE OF status ON orphan_effects
  FOR EACH ROW EXECUTE FUNCTION payonce_ledger_due_orphan();

-- How far the poster has read. Every pass locks the row, so that one pass posts at a time.
CREATE TABLE ledger_position (
  one            boolean     PRIMARY KEY DEFAULT true CHECK (one),
  -- Events of transactions below this one are read; none of them can still appear.
  read_below     xid8        NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot()),
  -- The sweep: the last route that it has looked at; null at the beginning of a lap.
  swept_merchant uuid,
  swept_key      text        COLLATE "C",
  laps           integer     NOT NULL DEFAULT 0,
  lap_started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  read_at        timestamptz
);
INSERT INTO ledger_position DEFAULT VALUES;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER orphan_effects_ledger_due ON orphan_effects;
DROP TRIGGER payments_ledger_due ON payments;
DROP TABLE ledger_position, ledger_due, ledger_days, ledger_entries, ledger_transactions;
DROP FUNCTION payonce_ledger_due_orphan(), payonce_ledger_due_dispute(), payonce_ledger_posted();
`);
  }
}
