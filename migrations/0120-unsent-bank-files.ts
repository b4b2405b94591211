import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What a bank tells of, or a person says is not done, is never put into a file afterwards. */
export class UnsentBankFiles1700000000120 implements MigrationInterface {
  name = 'UnsentBankFiles1700000000120';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What the bank tells of without a file of ours that is known here: the commit that made the file is lost. It has that
-- status and no file, and gets none.
ALTER TABLE bank_instructions DROP CONSTRAINT bank_instructions_collected;
ALTER TABLE bank_instructions ADD CONSTRAINT bank_instructions_collected
  CHECK ((batch IS NULL OR status <> 'collected') AND (batch IS NOT NULL OR status <> 'sent')) NOT VALID;

-- A person says that an operation was not done. Then it must not be done later: what is collected is taken back in the
-- same commit, and what stands in a file that may still be put keeps the statement out.
-- Instructions are for workers alone (row-level security); this sees the one of its own operation.
CREATE FUNCTION payonce_person_proof_takes_back() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  account text;
  tenants text := coalesce(current_setting('payonce.tenants', true), '');
BEGIN
  -- Not as a setting of the function: only a superuser may declare one of a name of ours.
  PERFORM set_config('payonce.tenants', '*', true);
  SELECT r.psp INTO account FROM psp_requests r
   WHERE r.merchant_id = NEW.merchant_id AND r.entity_key = NEW.entity_key AND r.route = NEW.route;
  UPDATE bank_instructions SET status = 'rejected', reason = 'TAKENBACK', answered_at = NEW.proved_at
   WHERE psp = account AND entity_key = NEW.entity_key AND status = 'collected';
  -- A statement of its own: it sees a file that was made while the one above waited.
  IF EXISTS (SELECT FROM bank_instructions i JOIN bank_batches b ON b.psp = i.psp AND b.number = i.batch
              WHERE i.psp = account AND i.entity_key = NEW.entity_key AND b.state IN ('formed', 'placing')) THEN
    RAISE EXCEPTION '% stands in a file for % that is not sent yet', NEW.entity_key, account
      USING ERRCODE = 'check_violation', CONSTRAINT = 'non_execution_proofs_unsent';
  END IF;
  PERFORM set_config('payonce.tenants', tenants, true);
  RETURN NULL;
END $$;
CREATE TRIGGER non_execution_proofs_unsent AFTER INSERT ON non_execution_proofs
  FOR EACH ROW WHEN (NEW.kind = 'person') EXECUTE FUNCTION payonce_person_proof_takes_back();
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TRIGGER non_execution_proofs_unsent ON non_execution_proofs;
DROP FUNCTION payonce_person_proof_takes_back();
ALTER TABLE bank_instructions DROP CONSTRAINT bank_instructions_collected;
ALTER TABLE bank_instructions ADD CONSTRAINT bank_instructions_collected
  CHECK ((status = 'collected') = (batch IS NULL)) NOT VALID;
`);
  }
}
