import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What PSPs report, held against the ledger. */
export class Reconciliation1700000000061 implements MigrationInterface {
  name = 'Reconciliation1700000000061';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The PSP's id of what moved the money: what a report names it by.
ALTER TABLE ledger_transactions ADD COLUMN psp_reference text;
ALTER TABLE ledger_transactions DISABLE TRIGGER ledger_transactions_append_only;
UPDATE ledger_transactions t SET psp_reference = r.psp_reference
  FROM psp_requests r
 WHERE r.merchant_id = t.merchant_id AND r.entity_key = t.entity_key AND r.psp = t.psp AND r.verdict = 'effective';
ALTER TABLE ledger_transactions ENABLE TRIGGER ledger_transactions_append_only;
CREATE INDEX ledger_transactions_by_reference ON ledger_transactions (psp, psp_reference);
CREATE INDEX ledger_transactions_in_time ON ledger_transactions (psp, occurred_at);

-- One row for each report of a PSP account that was imported. The same bytes are imported once.
CREATE TABLE reconciliation_runs (
  psp          text           NOT NULL,
  id           uuid           NOT NULL,
  format       text           NOT NULL,
  file_name    text           NOT NULL,
  content_hash text           NOT NULL,
  covers       text[]         NOT NULL,
  period_from  timestamptz(3) NOT NULL,
  period_to    timestamptz(3) NOT NULL,
  lines        integer        NOT NULL,
  -- Those that no report before had.
  new_lines    integer        NOT NULL,
  imported_by  text           NOT NULL,
  imported_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (psp, id),
  CONSTRAINT reconciliation_runs_once UNIQUE (psp, content_hash)
);

-- A line of a report, once, however many reports have it. Not a merchant's: whose it is is found out by matching.
CREATE TABLE report_lines (
  psp              text           NOT NULL,
  key              text           COLLATE "C" NOT NULL,
  run_id           uuid           NOT NULL,
  line             integer        NOT NULL,
  type             text           NOT NULL,
  kind             text           NOT NULL CHECK (kind IN ('payment', 'refund', 'refund_reversed', 'dispute',
                                    'dispute_reversed', 'payout', 'payout_returned', 'fee', 'settlement', 'other')),
  psp_reference    text,
  parent_reference text,
  reference        text,
  currency         text           NOT NULL,
  gross            bigint         NOT NULL,
  fee              bigint         NOT NULL,
  net              bigint         NOT NULL,
  settled          text           NOT NULL,
  occurred_at      timestamptz(3) NOT NULL,
  batch            text,
  -- Whether it names something that the ledger has; fees and transfers to the bank need nothing.
  is_matched       boolean        NOT NULL DEFAULT false,
  -- The route that it proves effective, where that is not effective here, and what came of telling its owner.
  merchant_id      uuid,
  entity_key       text           COLLATE "C",
  route            smallint,
  evidence         text           CHECK (evidence IN ('due', 'applied', 'recorded', 'known', 'contradiction', 'unknown')),
  PRIMARY KEY (psp, key),
  FOREIGN KEY (psp, run_id) REFERENCES reconciliation_runs (psp, id)
);
CREATE INDEX report_lines_of_run ON report_lines (psp, run_id, line);
CREATE INDEX report_lines_unmatched ON report_lines (psp, key) WHERE NOT is_matched;
CREATE INDEX report_lines_evidence ON report_lines (psp, key) WHERE evidence = 'due';

-- Which transactions of the ledger a line is about; several lines and several transactions may be one unit.
CREATE TABLE reconciliation_matches (
  psp         text NOT NULL,
  line_key    text COLLATE "C" NOT NULL,
  merchant_id uuid NOT NULL,
  source      text COLLATE "C" NOT NULL,
  unit        text COLLATE "C" NOT NULL,
  matched_by  text NOT NULL CHECK (matched_by IN ('psp_reference', 'reference', 'amount')),
  PRIMARY KEY (psp, line_key, merchant_id, source),
  FOREIGN KEY (psp, line_key) REFERENCES report_lines (psp, key),
  FOREIGN KEY (merchant_id, source) REFERENCES ledger_transactions (merchant_id, source)
);
CREATE INDEX reconciliation_matches_of_transaction ON reconciliation_matches (merchant_id, source);
CREATE INDEX reconciliation_matches_of_unit ON reconciliation_matches (psp, unit);

-- Where a report and the ledger differ.
CREATE TABLE reconciliation_breaks (
  psp         text           NOT NULL,
  id          uuid           NOT NULL,
  category    text           NOT NULL CHECK (category IN ('missing_at_psp', 'missing_here', 'amount_mismatch',
                               'currency_mismatch', 'fee_mismatch', 'status_mismatch', 'duplicate_effect',
                               'late_success', 'wrong_psp', 'timing')),
  -- What it is about: a transaction, a unit or a line. One break of it is open at a time.
  subject     text           COLLATE "C" NOT NULL,
  run_id      uuid           NOT NULL,
  line_key    text           COLLATE "C",
  merchant_id uuid,
  source      text           COLLATE "C",
  entity_key  text           COLLATE "C",
  psp_reference text,
  currency    text           NOT NULL,
  -- Signed minor units: what the ledger has, and what the report says.
  expected    bigint         NOT NULL,
  reported    bigint         NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  opened_at   timestamptz(3) NOT NULL,
  owner       text           CHECK (length(owner) BETWEEN 1 AND 100),
  closed_at   timestamptz(3),
  closed_by   text,
  resolution  text           CHECK (length(resolution) BETWEEN 1 AND 500),
  PRIMARY KEY (psp, id),
  FOREIGN KEY (psp, run_id) REFERENCES reconciliation_runs (psp, id),
  CONSTRAINT reconciliation_breaks_closed CHECK ((closed_at IS NULL) = (closed_by IS NULL))
);
CREATE UNIQUE INDEX reconciliation_breaks_one_open ON reconciliation_breaks (psp, subject) WHERE closed_at IS NULL;
CREATE INDEX reconciliation_breaks_of_run ON reconciliation_breaks (psp, run_id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE reconciliation_breaks, reconciliation_matches, report_lines, reconciliation_runs;
DROP INDEX ledger_transactions_in_time, ledger_transactions_by_reference;
ALTER TABLE ledger_transactions DROP COLUMN psp_reference;
`);
  }
}
