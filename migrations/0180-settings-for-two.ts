import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Changes that lift a bound wait for a second person, as acts that move money do. */
export class SettingsForTwo1700000000180 implements MigrationInterface {
  name = 'SettingsForTwo1700000000180';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A stored PSP account belongs to no merchant.
ALTER TABLE approvals DROP CONSTRAINT approvals_merchant_id_fkey;
-- A key for payouts alone has no scope until it is approved.
ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DELETE FROM approvals WHERE NOT EXISTS (SELECT FROM merchants m WHERE m.id = merchant_id);
ALTER TABLE approvals ADD FOREIGN KEY (merchant_id) REFERENCES merchants (id);
UPDATE api_keys SET revoked_at = greatest(now(), created_at), scopes = '{payments:read}'
 WHERE cardinality(scopes) = 0;
ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK (cardinality(scopes) > 0);
`);
  }
}
