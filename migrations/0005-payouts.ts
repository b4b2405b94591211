import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Money out, one payout after another for each recipient. */
export class Payouts1700000000005 implements MigrationInterface {
  name = 'Payouts1700000000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A payout as it stands now. The payouts of a recipient are a chain: each names the one that ended
-- before it. sealed holds the tokens of where the money goes, encrypted, until the payout has ended.
CREATE TABLE payouts (
  merchant_id          uuid        NOT NULL,
  recipient            text        COLLATE "C" NOT NULL,
  id                   uuid        NOT NULL,
  version              integer     NOT NULL,
  reference            text        NOT NULL,
  status               text        NOT NULL CHECK (status IN ('processing', 'paid', 'failed')),
  amount               bigint      NOT NULL CHECK (amount > 0),
  currency             text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  statement_descriptor text,
  metadata             jsonb       NOT NULL,
  candidates           jsonb       NOT NULL,
  sealed               bytea,
  psp                  text,
  psp_reference        text,
  failure              jsonb,
  previous             uuid,
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, recipient, id),
  CONSTRAINT payouts_id UNIQUE (merchant_id, id),
  -- A payout that follows names one of the same recipient, and never itself.
  CONSTRAINT payouts_follow_one FOREIGN KEY (merchant_id, recipient, previous)
    REFERENCES payouts (merchant_id, recipient, id),
  CONSTRAINT payouts_never_after_itself CHECK (previous <> id),
  -- Tokens are kept exactly as long as they may be needed.
  CONSTRAINT payouts_sealed_until_ended CHECK ((status = 'processing') = (sealed IS NOT NULL))
);
-- One at a time for a recipient. With the foreign key above it also means that whatever is followed has ended.
CREATE UNIQUE INDEX payouts_one_in_progress ON payouts (merchant_id, recipient) WHERE status = 'processing';
-- No two follow the same one, and no two are the first: null counts as a value. A payout that failed
-- has ended too, and a client that tries again names it; so nothing is excepted, and the chain never forks.
CREATE UNIQUE INDEX payouts_one_after_another ON payouts (merchant_id, recipient, previous) NULLS NOT DISTINCT;
CREATE INDEX payouts_reference ON payouts (merchant_id, reference);

-- How a payout came to its status: one row per version that changed it.
CREATE TABLE payout_transitions (
  merchant_id uuid        NOT NULL,
  payout_id   uuid        NOT NULL,
  version     integer     NOT NULL,
  event       text        NOT NULL,
  from_status text,
  to_status   text        NOT NULL,
  actor       text        NOT NULL,
  entity_key  text        NOT NULL,
  at          timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, payout_id, version)
);
CREATE TRIGGER payout_transitions_append_only BEFORE UPDATE OR DELETE ON payout_transitions
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payout_transitions; DROP TABLE payouts');
  }
}
