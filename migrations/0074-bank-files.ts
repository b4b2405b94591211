import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A bank that speaks in files: instructions, the files they are sent in, the files that the bank sent. */
export class BankFiles1700000000074 implements MigrationInterface {
  name = 'BankFiles1700000000074';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A file for a bank. Everything in it is decided, and stored, before the first byte is sent.
-- formed: to be sent. placing: the whole file lies at the bank under a temporary name and is about to be renamed; it is
-- never put again. sent. conflict: another file lies there under its name, and a person has to look.
CREATE TABLE bank_batches (
  psp            text           NOT NULL,
  number         bigint         NOT NULL,
  id             uuid           NOT NULL,
  kind           text           NOT NULL CHECK (kind IN ('credit_transfer', 'direct_debit')),
  format         text           NOT NULL,
  message_id     text           NOT NULL,
  file_name      text           NOT NULL,
  due_on         date           NOT NULL,
  transactions   integer        NOT NULL CHECK (transactions > 0),
  total          bigint         NOT NULL CHECK (total > 0),
  bytes          integer        NOT NULL,
  sha256         text           NOT NULL,
  -- The file itself, encrypted, for as long as it may be needed.
  sealed         bytea,
  state          text           NOT NULL DEFAULT 'formed' CHECK (state IN ('formed', 'placing', 'sent', 'conflict')),
  -- Raised by each process that takes it on: one that was overtaken writes nothing any more.
  attempt        integer        NOT NULL DEFAULT 0,
  temporary_name text,
  formed_at      timestamptz(3) NOT NULL,
  sent_at        timestamptz(3),
  -- What the last attempt came to, where it did not come to its end.
  fault          text,
  PRIMARY KEY (psp, number),
  CONSTRAINT bank_batches_id UNIQUE (id),
  CONSTRAINT bank_batches_message UNIQUE (psp, message_id),
  CONSTRAINT bank_batches_sent CHECK ((state = 'sent') = (sent_at IS NOT NULL)),
  CONSTRAINT bank_batches_kept CHECK (state = 'sent' OR sealed IS NOT NULL)
);
CREATE INDEX bank_batches_unsent ON bank_batches (psp, number) WHERE state IN ('formed', 'placing');

-- One line of a file to a bank. An operation has at most one at an account, however often it is handed over.
CREATE TABLE bank_instructions (
  psp           text           NOT NULL,
  end_to_end_id text           COLLATE "C" NOT NULL,
  id            uuid           NOT NULL,
  entity_key    text           COLLATE "C" NOT NULL,
  route         integer        NOT NULL,
  operation     text           NOT NULL CHECK (operation IN ('charge', 'refund', 'payout')),
  kind          text           NOT NULL CHECK (kind IN ('credit_transfer', 'direct_debit')),
  amount        bigint         NOT NULL CHECK (amount > 0),
  remittance    text           NOT NULL,
  -- Name, IBAN and mandate of the other side, encrypted, for as long as they may be needed.
  sealed        bytea,
  status        text           NOT NULL DEFAULT 'collected'
                CHECK (status IN ('collected', 'sent', 'accepted', 'rejected', 'booked', 'returned', 'unclear')),
  reason        text,
  batch         bigint,
  payment_block text,
  collected_at  timestamptz(3) NOT NULL,
  answered_at   timestamptz(3),
  PRIMARY KEY (psp, end_to_end_id),
  CONSTRAINT bank_instructions_id UNIQUE (id),
  CONSTRAINT bank_instructions_once UNIQUE (psp, entity_key),
  CONSTRAINT bank_instructions_batch FOREIGN KEY (psp, batch) REFERENCES bank_batches (psp, number),
  CONSTRAINT bank_instructions_collected CHECK ((status = 'collected') = (batch IS NULL)),
  CONSTRAINT bank_instructions_kept CHECK (status <> 'collected' OR sealed IS NOT NULL)
);
CREATE INDEX bank_instructions_collected ON bank_instructions (psp, kind, collected_at) WHERE batch IS NULL;
CREATE INDEX bank_instructions_by_batch ON bank_instructions (psp, batch);

-- What is in a file stays in that file, as it is.
CREATE FUNCTION payonce_bank_instruction_fixed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.batch IS NOT NULL AND NEW.batch IS DISTINCT FROM OLD.batch THEN
    RAISE EXCEPTION 'bank instruction % is in batch % already', OLD.end_to_end_id, OLD.batch;
  END IF;
  IF (NEW.psp, NEW.end_to_end_id, NEW.entity_key, NEW.kind, NEW.amount)
     IS DISTINCT FROM (OLD.psp, OLD.end_to_end_id, OLD.entity_key, OLD.kind, OLD.amount) THEN
    RAISE EXCEPTION 'bank instruction % cannot be changed', OLD.end_to_end_id;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER bank_instructions_fixed BEFORE UPDATE ON bank_instructions
  FOR EACH ROW EXECUTE FUNCTION payonce_bank_instruction_fixed();

-- A file of a bank, read once. What it says is in the instructions and in the inbox; it is not kept itself.
CREATE TABLE bank_files (
  psp         text           NOT NULL,
  sha256      text           NOT NULL,
  name        text           NOT NULL,
  bytes       integer        NOT NULL,
  modified_at timestamptz(3) NOT NULL,
  state       text           NOT NULL CHECK (state IN ('read', 'refused')),
  fault       text,
  -- Of its lines: those about instructions of ours, and those that name one that is not known.
  ours        integer        NOT NULL,
  unknown     integer        NOT NULL,
  received_at timestamptz(3) NOT NULL,
  PRIMARY KEY (psp, sha256)
);
CREATE INDEX bank_files_by_name ON bank_files (psp, name);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE bank_files, bank_instructions, bank_batches;
DROP FUNCTION payonce_bank_instruction_fixed;
`);
  }
}
