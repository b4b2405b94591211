import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What PSPs tell of their own accord counts as evidence. */
export class Notices1700000000013 implements MigrationInterface {
  name = 'Notices1700000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A notice stands beside the calls of its route: what the PSP told of its own accord, complete from the start.
ALTER TABLE psp_attempts DROP CONSTRAINT psp_attempts_kind_check;
ALTER TABLE psp_attempts ADD CONSTRAINT psp_attempts_kind
  CHECK (kind IN ('execute', 'lookup', 'cancel') OR (kind = 'notice' AND outcome IS NOT NULL));

-- A notice names a payment or a payout by its id; whose it is has to be found. Neither table changes
-- an id, so that later updates of a row do not touch these.
CREATE INDEX payments_by_id ON payments (id);
CREATE INDEX payouts_by_id ON payouts (id);

-- A no that was told by a notice is a no, unless it is about a cancel.
CREATE OR REPLACE FUNCTION payonce_proof_holds() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  told psp_attempts;
BEGIN
  SELECT * INTO told FROM psp_attempts a
   WHERE a.merchant_id = NEW.merchant_id AND a.entity_key = NEW.entity_key
     AND a.route = NEW.route AND a.attempt = NEW.attempt;
  IF NOT coalesce(CASE NEW.kind
       WHEN 'not_sent'            THEN told.kind = 'execute' AND told.outcome = 'not_sent'
       WHEN 'declined'            THEN told.outcome = 'declined' AND (told.kind = 'execute'
                                       OR (told.kind = 'notice' AND told.request @> '{"about": "operation"}'))
       WHEN 'rejected'            THEN told.kind = 'execute' AND told.outcome IN ('rejected', 'throttled')
       WHEN 'cancel_acknowledged' THEN told.outcome = 'canceled' OR (told.kind = 'cancel'
                                       AND told.outcome = 'pending' AND told.request @> '{"fence": true, "operation": "authorize"}')
       WHEN 'lookup_final'        THEN told.kind = 'lookup' AND told.outcome IN ('declined', 'not_found')
     END, false) THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $$;
`);
  }

  /** Refused where notices have been written: they are part of the evidence. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE OR REPLACE FUNCTION payonce_proof_holds() RETURNS trigger
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
       WHEN 'cancel_acknowledged' THEN told.outcome = 'canceled' OR (told.kind = 'cancel'
                                       AND told.outcome = 'pending' AND told.request @> '{"fence": true, "operation": "authorize"}')
       WHEN 'lookup_final'        THEN told.kind = 'lookup' AND told.outcome IN ('declined', 'not_found')
     END, false) THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $$;
DROP INDEX payments_by_id, payouts_by_id;
ALTER TABLE psp_attempts DROP CONSTRAINT psp_attempts_kind;
ALTER TABLE psp_attempts ADD CONSTRAINT psp_attempts_kind_check CHECK (kind IN ('execute', 'lookup', 'cancel'));
`);
  }
}
