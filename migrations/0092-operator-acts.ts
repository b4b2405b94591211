import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Whose account an operator's is, files as evidence, and stuck operations that someone has put off. */
export class OperatorActs1700000000092 implements MigrationInterface {
  name = 'OperatorActs1700000000092';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The human being: who has several accounts cannot approve with one what was asked for with another.
ALTER TABLE operators ADD COLUMN person text;
UPDATE operators SET person = name;
ALTER TABLE operators ALTER COLUMN person SET NOT NULL,
  ADD CONSTRAINT operators_person CHECK (person = lower(person) AND length(person) BETWEEN 1 AND 320);

CREATE FUNCTION refuse_own_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.decision = 'approved' AND NEW.decided_by <> NEW.requested_by AND (SELECT a.person = r.person FROM operators a, operators r
                                     WHERE a.id = NEW.decided_by AND r.id = NEW.requested_by) THEN
    RAISE EXCEPTION 'the same person may not approve what they asked for' USING ERRCODE = 'check_violation',
      CONSTRAINT = 'approvals_two_persons';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approvals_two_persons BEFORE INSERT OR UPDATE ON approvals
  FOR EACH ROW EXECUTE FUNCTION refuse_own_approval();

-- What a person found at a PSP, as a file. Served as a download alone.
CREATE TABLE evidence_files (
  merchant_id  uuid        NOT NULL REFERENCES merchants (id),
  id           uuid        NOT NULL,
  entity_key   text        COLLATE "C" NOT NULL,
  name         text        NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  content_type text        NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg', 'text/plain')),
  sha256       text        COLLATE "C" NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  content      bytea       NOT NULL CHECK (length(content) BETWEEN 1 AND 2097152),
  operator_id  uuid        NOT NULL REFERENCES operators (id),
  at           timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX evidence_files_by_operation ON evidence_files (merchant_id, entity_key);
CREATE INDEX evidence_files_by_id ON evidence_files (id);
CREATE TRIGGER evidence_files_append_only BEFORE UPDATE OR DELETE ON evidence_files
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

-- A stuck operation that is not listed until then, because somebody looks after it.
CREATE TABLE operation_snoozes (
  merchant_id uuid        NOT NULL REFERENCES merchants (id),
  entity_key  text        COLLATE "C" NOT NULL,
  until       timestamptz NOT NULL,
  owner_id    uuid        NOT NULL REFERENCES operators (id),
  note        text        NOT NULL CHECK (length(note) <= 500),
  at          timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, entity_key)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE operation_snoozes, evidence_files;
DROP TRIGGER approvals_two_persons ON approvals;
DROP FUNCTION refuse_own_approval();
ALTER TABLE operators DROP COLUMN person;
`);
  }
}
