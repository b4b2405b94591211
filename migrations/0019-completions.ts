import { type MigrationInterface, type QueryRunner } from 'typeorm';

const proofHolds = (declined: string) => `
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
       WHEN 'declined'            THEN told.outcome = 'declined' AND (${declined}
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
`;

/** What a customer's return handed over is given to the PSP by a call of its own kind. */
export class Completions1700000000019 implements MigrationInterface {
  name = 'Completions1700000000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE psp_attempts DROP CONSTRAINT psp_attempts_kind;
ALTER TABLE psp_attempts ADD CONSTRAINT psp_attempts_kind
  CHECK (kind IN ('execute', 'lookup', 'cancel', 'complete') OR (kind = 'notice' AND outcome IS NOT NULL));
-- A no that answers what the customer did is a no to the payment.
${proofHolds("told.kind IN ('execute', 'complete')")}`);
  }

  /** Refused where such calls have been written: they are part of the evidence. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
${proofHolds("told.kind = 'execute'")}
ALTER TABLE psp_attempts DROP CONSTRAINT psp_attempts_kind;
ALTER TABLE psp_attempts ADD CONSTRAINT psp_attempts_kind
  CHECK (kind IN ('execute', 'lookup', 'cancel') OR (kind = 'notice' AND outcome IS NOT NULL));
`);
  }
}
