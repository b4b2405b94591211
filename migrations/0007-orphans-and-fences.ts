import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What a PSP did after all is found, and given back; and a charge in doubt may be fenced off. */
export class OrphansAndFences1700000000007 implements MigrationInterface {
  name = 'OrphansAndFences1700000000007';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A route that was ruled out because nothing was found is looked at again, for days: late is real.
ALTER TABLE psp_requests ADD COLUMN look_again_at timestamptz;
CREATE INDEX psp_requests_look_again ON psp_requests (look_again_at)
  WHERE verdict = 'ruled_out' AND look_again_at IS NOT NULL;

-- What becomes of an orphan: 'open' is found, 'approved' by a person, 'compensating' has its own route.
ALTER TABLE orphan_effects
  ADD COLUMN operation     text NOT NULL DEFAULT 'charge',
  ADD COLUMN psp_reference text,
  ADD COLUMN status        text NOT NULL DEFAULT 'open'
    CHECK (status IN ('open', 'approved', 'compensating', 'compensated', 'failed'));
CREATE INDEX orphan_effects_undecided ON orphan_effects (found_at) WHERE status IN ('open', 'approved', 'failed');

-- The routing rule by which the payment was opened lets a charge in doubt be canceled and failed over.
ALTER TABLE payments ADD COLUMN fence boolean NOT NULL DEFAULT false;

-- Under a fence, an order to void an authorization that was received counts as the PSP's word; else not.
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
`);
  }

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
       WHEN 'cancel_acknowledged' THEN told.outcome = 'canceled'
       WHEN 'lookup_final'        THEN told.kind = 'lookup' AND told.outcome IN ('declined', 'not_found')
     END, false) THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $$;
ALTER TABLE payments DROP COLUMN fence;
DROP INDEX orphan_effects_undecided;
ALTER TABLE orphan_effects DROP COLUMN status, DROP COLUMN psp_reference, DROP COLUMN operation;
DROP INDEX psp_requests_look_again;
ALTER TABLE psp_requests DROP COLUMN look_again_at;
`);
  }
}
