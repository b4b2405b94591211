import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Whom a merchant may pay out to, held by the commit that opens a payout. */
export class Recipients1700000000160 implements MigrationInterface {
  name = 'Recipients1700000000160';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- any: every recipient that a payout names. registered: recipients below alone, with the tokens that they were
-- registered with. approved: those that an operator approved.
ALTER TABLE merchants ADD payout_recipients text NOT NULL DEFAULT 'any'
  CONSTRAINT merchants_payout_recipients CHECK (payout_recipients IN ('any', 'registered', 'approved'));

-- The actor that created the key; NULL: it is older than this column. Nobody approves what a key of their own did.
ALTER TABLE api_keys ADD created_by text;

CREATE TABLE recipients (
  merchant_id   uuid        NOT NULL REFERENCES merchants (id),
  id            uuid        NOT NULL,
  -- As payouts name it.
  reference     text        NOT NULL,
  -- Raised with every change of the tokens, and by removal. What was approved is one version.
  version       integer     NOT NULL CHECK (version > 0),
  -- PSP account to token, encrypted. NULL: the recipient was removed.
  tokens        bytea,
  -- PSP account to the last characters of the token, for people.
  accounts      jsonb       NOT NULL,
  registered_by text        NOT NULL,
  registered_at timestamptz NOT NULL,
  approved_by   text,
  approved_at   timestamptz,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT recipients_reference UNIQUE (merchant_id, reference),
  CONSTRAINT recipients_approved_by_an_actor CHECK ((approved_at IS NULL) = (approved_by IS NULL)),
  CONSTRAINT recipients_removed_are_not_approved CHECK (tokens IS NOT NULL OR approved_at IS NULL)
);
SELECT payonce_wall_in('recipients', 'merchant_id');

-- A version is never used for other tokens, and an approval never outlives its version.
CREATE FUNCTION payonce_recipient_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.version < OLD.version OR (NEW.version > OLD.version AND NEW.approved_at IS NOT NULL)
     OR (NEW.version = OLD.version AND (NEW.tokens IS NULL) <> (OLD.tokens IS NULL)) THEN
    RAISE EXCEPTION 'a changed recipient is a new version, which nobody has approved'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'recipients_version';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER recipients_version BEFORE UPDATE ON recipients
  FOR EACH ROW EXECUTE FUNCTION payonce_recipient_version();

-- The version of the recipient that the payout's tokens were compared with; NULL: with none.
ALTER TABLE payouts ADD recipient_version integer;

-- The lock makes a change, a removal and a withdrawn approval wait for the commit, or the commit for them.
CREATE FUNCTION payonce_pays_known_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  rule text := (SELECT m.payout_recipients FROM merchants m WHERE m.id = NEW.merchant_id);
BEGIN
  IF rule = 'any' THEN
    RETURN NEW;
  END IF;
  PERFORM FROM recipients r
    WHERE r.merchant_id = NEW.merchant_id AND r.reference = NEW.recipient AND r.version = NEW.recipient_version
      AND r.tokens IS NOT NULL AND (rule = 'registered' OR r.approved_at IS NOT NULL)
      FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a payout to a recipient that is not registered'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'payouts_known_recipient';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payouts_known_recipient BEFORE INSERT ON payouts
  FOR EACH ROW EXECUTE FUNCTION payonce_pays_known_recipient();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER payouts_known_recipient ON payouts;
DROP FUNCTION payonce_pays_known_recipient();
ALTER TABLE payouts DROP recipient_version;
DROP TABLE recipients;
DROP FUNCTION payonce_recipient_version();
ALTER TABLE api_keys DROP created_by;
ALTER TABLE merchants DROP payout_recipients;
`);
  }
}
