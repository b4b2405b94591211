import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A person may decide a stuck route, and close an orphan effect. */
export class DecidedByAPerson1700000000035 implements MigrationInterface {
  name = 'DecidedByAPerson1700000000035';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A person's statement about a stuck route is a proof of its own kind, and rests on the statement alone.
ALTER TABLE non_execution_proofs DROP CONSTRAINT non_execution_proofs_kind_check;
ALTER TABLE non_execution_proofs ADD CONSTRAINT non_execution_proofs_kind_check
  CHECK (kind IN ('not_sent', 'declined', 'rejected', 'cancel_acknowledged', 'lookup_final', 'person'));
DROP TRIGGER non_execution_proofs_hold ON non_execution_proofs;
CREATE CONSTRAINT TRIGGER non_execution_proofs_hold AFTER INSERT ON non_execution_proofs
  FOR EACH ROW WHEN (NEW.kind <> 'person') EXECUTE FUNCTION payonce_proof_holds();
CREATE FUNCTION payonce_person_proof_holds() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM psp_attempts a
     WHERE a.merchant_id = NEW.merchant_id AND a.entity_key = NEW.entity_key
       AND a.route = NEW.route AND a.attempt = NEW.attempt
       AND a.kind = 'notice' AND a.outcome = 'not_found' AND a.request ? 'stated_by') THEN
    RAISE EXCEPTION 'attempt % of route % does not prove %', NEW.attempt, NEW.route, NEW.kind
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_hold';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER non_execution_proofs_person_holds AFTER INSERT ON non_execution_proofs
  FOR EACH ROW WHEN (NEW.kind = 'person') EXECUTE FUNCTION payonce_person_proof_holds();

-- 'closed': a person has dealt with it by hand.
ALTER TABLE orphan_effects DROP CONSTRAINT orphan_effects_status_check;
ALTER TABLE orphan_effects ADD CONSTRAINT orphan_effects_status_check
  CHECK (status IN ('open', 'approved', 'compensating', 'compensated', 'failed', 'closed'));
`);
  }

  /** Refused where a person has decided something: it is part of the evidence. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE orphan_effects DROP CONSTRAINT orphan_effects_status_check;
ALTER TABLE orphan_effects ADD CONSTRAINT orphan_effects_status_check
  CHECK (status IN ('open', 'approved', 'compensating', 'compensated', 'failed'));
DROP TRIGGER non_execution_proofs_person_holds ON non_execution_proofs;
DROP FUNCTION payonce_person_proof_holds();
DROP TRIGGER non_execution_proofs_hold ON non_execution_proofs;
CREATE CONSTRAINT TRIGGER non_execution_proofs_hold AFTER INSERT ON non_execution_proofs
  FOR EACH ROW EXECUTE FUNCTION payonce_proof_holds();
ALTER TABLE non_execution_proofs DROP CONSTRAINT non_execution_proofs_kind_check;
ALTER TABLE non_execution_proofs ADD CONSTRAINT non_execution_proofs_kind_check
  CHECK (kind IN ('not_sent', 'declined', 'rejected', 'cancel_acknowledged', 'lookup_final'));
`);
  }
}
