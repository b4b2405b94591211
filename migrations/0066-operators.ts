import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** People who sign in to the console, and what one of them asks another one to approve. */
export class Operators1700000000066 implements MigrationInterface {
  name = 'Operators1700000000066';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- An operator works for all merchants, so the key does not begin with one.
CREATE TABLE operators (
  id                uuid        PRIMARY KEY,
  name              text        COLLATE "C" NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._@+-]{0,63}$'),
  role              text        NOT NULL CHECK (role IN ('viewer', 'operator', 'approver', 'admin')),
  -- argon2id. Null: signs in by a one-time link alone.
  password_hash     text,
  -- Encrypted under the seal key, bound to the operator.
  totp_secret       bytea,
  -- The counter of the last code that was taken: a code signs in once.
  totp_used         bigint      NOT NULL DEFAULT 0,
  -- Tries since the last one that succeeded, and until when no further one is looked at.
  failures          integer     NOT NULL DEFAULT 0,
  locked_until      timestamptz,
  disabled_at       timestamptz,
  created_at        timestamptz NOT NULL,
  CONSTRAINT operators_name UNIQUE (name),
  CONSTRAINT operators_two_factors CHECK ((password_hash IS NULL) = (totp_secret IS NULL))
);

-- By the SHA-256 of the token in the cookie: the table opens no session.
CREATE TABLE operator_sessions (
  token_hash     bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
  operator_id    uuid        NOT NULL REFERENCES operators (id),
  source_address text        NOT NULL,
  started_at     timestamptz NOT NULL DEFAULT now(),
  seen_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX operator_sessions_by_operator ON operator_sessions (operator_id);

-- A link signs in once, and is deleted by that.
CREATE TABLE sign_in_links (
  token_hash  bytea       PRIMARY KEY CHECK (length(token_hash) = 32),
  operator_id uuid        NOT NULL REFERENCES operators (id),
  expires_at  timestamptz NOT NULL
);

-- An act that takes two people. What is approved is what was asked for: its hash stands beside it.
CREATE TABLE approvals (
  merchant_id  uuid        NOT NULL REFERENCES merchants (id),
  id           uuid        NOT NULL,
  action       jsonb       NOT NULL,
  action_hash  text        COLLATE "C" NOT NULL CHECK (action_hash ~ '^[0-9a-f]{64}$'),
  -- What it is about, as in audit records: payment:<id>.
  subject      text        NOT NULL,
  requested_by uuid        NOT NULL REFERENCES operators (id),
  requested_at timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL,
  decision     text        CHECK (decision IN ('approved', 'declined')),
  decided_by   uuid        REFERENCES operators (id),
  decided_at   timestamptz,
  -- What the act came to; null where it was not done, or its process died over it.
  result       text,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT approvals_decided CHECK (num_nulls(decision, decided_by, decided_at) IN (0, 3)),
  -- Withdrawing one's own request is no approval of it.
  CONSTRAINT approvals_two_people CHECK (decided_by <> requested_by OR decision = 'declined')
);
CREATE INDEX approvals_waiting ON approvals (id) WHERE decision IS NULL;
CREATE UNIQUE INDEX approvals_one_waiting ON approvals (merchant_id, action_hash) WHERE decision IS NULL;
CREATE INDEX approvals_by_subject ON approvals (subject);

CREATE FUNCTION refuse_second_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.action <> NEW.action OR OLD.action_hash <> NEW.action_hash OR OLD.requested_by <> NEW.requested_by
     OR OLD.expires_at <> NEW.expires_at
     OR (OLD.decision IS NOT NULL AND (OLD.decision, OLD.decided_by, OLD.decided_at)
         IS DISTINCT FROM (NEW.decision, NEW.decided_by, NEW.decided_at)) THEN
    RAISE EXCEPTION 'an approval is decided once, and what it is for does not change';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approvals_decided_once BEFORE UPDATE ON approvals
  FOR EACH ROW EXECUTE FUNCTION refuse_second_decision();

-- Acts of people are few among all that is audited.
CREATE INDEX audit_records_of_people ON audit_records (id)
  WHERE actor LIKE 'operator:%' OR actor LIKE 'cli:%';
CREATE INDEX audit_records_of_people_by_subject ON audit_records (subject, id)
  WHERE actor LIKE 'operator:%' OR actor LIKE 'cli:%';
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX audit_records_of_people, audit_records_of_people_by_subject;
DROP TABLE approvals, sign_in_links, operator_sessions, operators;
DROP FUNCTION refuse_second_decision();
`);
  }
}
