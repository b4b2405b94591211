import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * What it takes to charge once: keys, payments, and the request storage. Every primary and unique
 * key starts with merchant_id, so that the tables can be distributed by merchant as they are.
 */
export class ChargeOnce1700000000002 implements MigrationInterface {
  name = 'ChargeOnce1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Ends a statement that would write a part of a commit: some guard held and a later one did not.
-- The whole statement is rolled back, and the commits in it are tried one by one.
CREATE FUNCTION payonce_all_or_nothing(entered bigint, written bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  IF entered <> written THEN
    RAISE EXCEPTION 'a guard of this commit no longer holds' USING ERRCODE = 'P0C01';
  END IF;
  RETURN true;
END $$;

-- History is appended, never edited.
CREATE FUNCTION payonce_append_only() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- What a client asked under one key, how far it has come, and its answer. The primary key is what
-- lets one of fifty identical requests through.
CREATE TABLE idempotency_keys (
  merchant_id     uuid        NOT NULL,
  key             text        COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  operation       text        NOT NULL,
  fingerprint     text        NOT NULL,
  subject_id      uuid,
  params          jsonb       NOT NULL,
  recovery_point  text        NOT NULL,
  lock_token      uuid,
  resumable_at    timestamptz,
  response_status smallint,
  response_body   text,
  created_at      timestamptz NOT NULL,
  finished_at     timestamptz,
  PRIMARY KEY (merchant_id, key),
  CONSTRAINT idempotency_keys_finished CHECK (
    (recovery_point = 'finished') = (response_body IS NOT NULL AND finished_at IS NOT NULL)
    AND (recovery_point <> 'finished' OR (lock_token IS NULL AND resumable_at IS NULL)))
);
-- What the completer takes up: unfinished keys, by the time their lock or pause ends.
CREATE INDEX idempotency_keys_resumable ON idempotency_keys (resumable_at) WHERE resumable_at IS NOT NULL;
-- What the reaper forgets; a block range index, since rows arrive in this order and it costs nothing.
CREATE INDEX idempotency_keys_created ON idempotency_keys USING brin (created_at);

-- A payment as it stands now. Money in minor units; sealed holds tokens and customer data, encrypted,
-- until the payment is at rest.
CREATE TABLE payments (
  merchant_id          uuid        NOT NULL,
  id                   uuid        NOT NULL,
  version              integer     NOT NULL,
  reference            text        NOT NULL,
  status               text        NOT NULL CHECK (status IN ('processing', 'requires_action', 'authorized',
                                     'captured', 'partially_refunded', 'refunded', 'canceled', 'failed')),
  capture_mode         text        NOT NULL CHECK (capture_mode IN ('automatic', 'manual')),
  amount               bigint      NOT NULL CHECK (amount > 0),
  amount_captured      bigint      NOT NULL CHECK (amount_captured BETWEEN 0 AND amount),
  amount_refunded      bigint      NOT NULL CHECK (amount_refunded BETWEEN 0 AND amount_captured),
  currency             text        NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  card_brand           text,
  card_country         text,
  return_url           text,
  statement_descriptor text,
  metadata             jsonb       NOT NULL,
  candidates           jsonb       NOT NULL,
  sealed               bytea,
  psp                  text,
  psp_reference        text,
  failure              jsonb,
  next_action          jsonb,
  created_at           timestamptz NOT NULL,
  updated_at           timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX payments_reference ON payments (merchant_id, reference);

-- How a payment came to its status: one row per version that changed it.
CREATE TABLE payment_transitions (
  merchant_id uuid        NOT NULL,
  payment_id  uuid        NOT NULL,
  version     integer     NOT NULL,
  event       text        NOT NULL,
  from_status text,
  to_status   text        NOT NULL,
  actor       text        NOT NULL,
  entity_key  text        NOT NULL,
  at          timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, payment_id, version)
);
CREATE TRIGGER payment_transitions_append_only BEFORE UPDATE OR DELETE ON payment_transitions
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

-- One row per route: an entity key bound to one PSP account and one PSP idempotency key.
CREATE TABLE psp_requests (
  merchant_id         uuid        NOT NULL,
  entity_key          text        COLLATE "C" NOT NULL,
  route               smallint    NOT NULL CHECK (route > 0),
  operation           text        NOT NULL,
  payment_id          uuid        NOT NULL,
  psp                 text        NOT NULL,
  amount              bigint      NOT NULL CHECK (amount > 0),
  currency            text        NOT NULL,
  psp_idempotency_key text        COLLATE "C" NOT NULL CHECK (length(psp_idempotency_key) <= 64),
  psp_reference       text,
  verdict             text        NOT NULL CHECK (verdict IN ('open', 'effective', 'ruled_out')),
  next_step_at        timestamptz,
  stuck_at            timestamptz,
  fence               integer     NOT NULL,
  leased_by           uuid,
  leased_until        timestamptz,
  rests_on_route      smallint,
  opened_at           timestamptz NOT NULL,
  decided_at          timestamptz,
  PRIMARY KEY (merchant_id, entity_key, route),
  -- A route after the first rests on the proof of the one before it: the column cannot be left out,
  -- and the foreign key below makes it name a proof that is there.
  CONSTRAINT psp_requests_needs_proof CHECK (
    CASE WHEN route = 1 THEN rests_on_route IS NULL
         ELSE rests_on_route IS NOT NULL AND rests_on_route = route - 1 END),
  -- An open route has a next step with a time, or is stuck and visible; a decided one has neither.
  CONSTRAINT psp_requests_has_next_step CHECK (
    CASE WHEN verdict = 'open' THEN decided_at IS NULL AND (next_step_at IS NULL) <> (stuck_at IS NULL)
         ELSE decided_at IS NOT NULL AND next_step_at IS NULL AND stuck_at IS NULL AND leased_by IS NULL END)
);
-- THE RULE: at most one live route per entity key. A bug can make a payment stuck; it cannot make it double.
CREATE UNIQUE INDEX psp_requests_one_live_route ON psp_requests (merchant_id, entity_key)
  WHERE verdict <> 'ruled_out';
-- No two routes show a PSP the same key.
CREATE UNIQUE INDEX psp_requests_psp_idempotency_key ON psp_requests (merchant_id, psp, psp_idempotency_key);
-- What the resolver drives on.
CREATE INDEX psp_requests_due ON psp_requests (next_step_at) WHERE verdict = 'open' AND next_step_at IS NOT NULL;
-- What operators look at.
CREATE INDEX psp_requests_stuck ON psp_requests (merchant_id, stuck_at) WHERE stuck_at IS NOT NULL;

-- One row per call on the wire: written before the call, completed after. An outcome that is null long
-- after its start is a call of which nobody knows whether it was made.
CREATE TABLE psp_attempts (
  merchant_id uuid        NOT NULL,
  entity_key  text        COLLATE "C" NOT NULL,
  route       smallint    NOT NULL,
  attempt     smallint    NOT NULL CHECK (attempt > 0),
  kind        text        NOT NULL CHECK (kind IN ('execute', 'lookup', 'cancel')),
  outcome     text        CHECK (outcome IN ('succeeded', 'declined', 'rejected', 'throttled', 'not_sent',
                            'requires_action', 'pending', 'not_found', 'canceled', 'conflict', 'unknown')),
  decline     text,
  psp_code    text,
  http_status smallint,
  latency_ms  integer,
  trace_id    text        NOT NULL,
  request     jsonb       NOT NULL,
  response    jsonb,
  started_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  PRIMARY KEY (merchant_id, entity_key, route, attempt),
  CONSTRAINT psp_attempts_of_route FOREIGN KEY (merchant_id, entity_key, route)
    REFERENCES psp_requests (merchant_id, entity_key, route),
  CONSTRAINT psp_attempts_ended CHECK ((outcome IS NULL) = (ended_at IS NULL))
);

-- Why it is certain that a route moved no money. The next route cannot be stored without it.
CREATE TABLE non_execution_proofs (
  merchant_id uuid        NOT NULL,
  entity_key  text        COLLATE "C" NOT NULL,
  route       smallint    NOT NULL,
  kind        text        NOT NULL CHECK (kind IN ('not_sent', 'declined', 'rejected', 'cancel_acknowledged',
                            'lookup_final')),
  attempt     smallint    NOT NULL,
  proved_at   timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, entity_key, route),
  CONSTRAINT non_execution_proofs_from_attempt FOREIGN KEY (merchant_id, entity_key, route, attempt)
    REFERENCES psp_attempts (merchant_id, entity_key, route, attempt)
);
ALTER TABLE psp_requests ADD CONSTRAINT psp_requests_rests_on_proof
  FOREIGN KEY (merchant_id, entity_key, rests_on_route) REFERENCES non_execution_proofs (merchant_id, entity_key, route);
CREATE TRIGGER non_execution_proofs_append_only BEFORE UPDATE OR DELETE ON non_execution_proofs
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();

-- The attempt that a proof names must say what the proof says. Looked at when the statement ends,
-- since the answer and its proof are written together. Proofs are rare, so this costs the charge nothing.
CREATE FUNCTION payonce_proof_holds() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  told psp_attempts;
BEGIN
  SELECT * INTO told FROM psp_attempts a
   WHERE a.merchant_id = NEW.merchant_id AND a.entity_key = NEW.entity_key
     AND a.route = NEW.route AND a.attempt = NEW.attempt;
  IF NOT coalesce(CASE NEW.kind
       WHEN 'not_sent'            THEN told.kind = 'execute' AND told.outcome = 'not_sent'
       WHEN 'declined'            THEN told.kind = 'execute' AND told.outcome = 'declined'
       WHEN 'rejected'            THEN told.kind = 'execute' AND told.outcome IN ('rejected', 'throttled')
       WHEN 'cancel_acknowledged' THEN told.outcome = 'canceled'
       WHEN 'lookup_final'        THEN told.kind = 'lookup' AND told.outcome IN ('declined', 'not_found')
     END, false) THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER non_execution_proofs_hold AFTER INSERT ON non_execution_proofs
  FOR EACH ROW EXECUTE FUNCTION payonce_proof_holds();

-- Routes that were ruled out and had an effect after all: money to be given back, and a PSP that lied.
CREATE TABLE orphan_effects (
  merchant_id uuid        NOT NULL,
  entity_key  text        COLLATE "C" NOT NULL,
  route       smallint    NOT NULL,
  attempt     smallint    NOT NULL,
  psp         text        NOT NULL,
  amount      bigint      NOT NULL,
  currency    text        NOT NULL,
  found_at    timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, entity_key, route),
  CONSTRAINT orphan_effects_from_attempt FOREIGN KEY (merchant_id, entity_key, route, attempt)
    REFERENCES psp_attempts (merchant_id, entity_key, route, attempt)
);

-- Who did what to what, when; written in the commit that does it.
CREATE TABLE audit_records (
  merchant_id uuid        NOT NULL,
  id          uuid        NOT NULL,
  at          timestamptz NOT NULL,
  actor       text        NOT NULL,
  action      text        NOT NULL,
  subject     text        NOT NULL,
  detail      jsonb       NOT NULL,
  PRIMARY KEY (merchant_id, id)
);
CREATE TRIGGER audit_records_append_only BEFORE UPDATE OR DELETE ON audit_records
  FOR EACH ROW EXECUTE FUNCTION payonce_append_only();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE psp_requests DROP CONSTRAINT psp_requests_rests_on_proof;
DROP TABLE audit_records, orphan_effects, non_execution_proofs, psp_attempts, psp_requests, payment_transitions, payments,
  idempotency_keys;
DROP FUNCTION payonce_proof_holds(), payonce_append_only(), payonce_all_or_nothing(bigint, bigint);
`);
  }
}
