import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Tables of the installation, which no request of a merchant reads. The table of operators is not among them yet:
 * processes of the version before read it as a merchant, to learn who may approve a recipient.
 */
const OF_THE_INSTALLATION = [
  'operator_sessions',
  'sign_in_links',
  'sign_in_tries',
  'psp_accounts',
  'seal_key',
  'api_key_checksum',
  'reconciliation_runs',
  'report_fetches',
  'activity_calls',
  'activity_minutes',
  'activity_payments',
];

/** A session that names a merchant, or none, sees nothing of them. */
export class WallsAroundTheInstallation1700000000181 implements MigrationInterface {
  name = 'WallsAroundTheInstallation1700000000181';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of OF_THE_INSTALLATION) {
      await runner.query(`
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY all_tenants ON ${table} USING (payonce_sees_all());`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of OF_THE_INSTALLATION) {
      await runner.query(`
DROP POLICY all_tenants ON ${table};
ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY;`);
    }
  }
}
