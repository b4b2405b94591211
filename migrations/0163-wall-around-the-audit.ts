import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The chained audit is read by operators and commands, and by no session of a merchant's client. */
export class WallAroundTheAudit1700000000163 implements MigrationInterface {
  name = 'WallAroundTheAudit1700000000163';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      asOwner(`
  ALTER TABLE payonce_audit.records ENABLE ROW LEVEL SECURITY;
  CREATE POLICY all_tenants ON payonce_audit.records FOR SELECT USING (payonce_sees_all());`),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      asOwner(`
  DROP POLICY IF EXISTS all_tenants ON payonce_audit.records;
  ALTER TABLE payonce_audit.records DISABLE ROW LEVEL SECURITY;`),
    );
  }
}

/** The table is no longer of the role that migrates, which may become its owner for a moment where it made that role. */
function asOwner(statements: string): string {
  return `
DO $$
DECLARE
  borrows boolean := NOT pg_has_role(current_user,
    (SELECT tableowner FROM pg_tables WHERE schemaname = 'payonce_audit' AND tablename = 'records'), 'USAGE');
BEGIN
  IF borrows THEN GRANT payonce_audit TO CURRENT_USER; END IF;
${statements}
  IF borrows THEN REVOKE payonce_audit FROM CURRENT_USER; END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE WARNING 'this role may not change the audit chain: every role of the database still reads it';
END $$;
`;
}
