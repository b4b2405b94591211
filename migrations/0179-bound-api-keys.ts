import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Keys that are taken only with a client certificate of their merchant. */
export class BoundApiKeys1700000000179 implements MigrationInterface {
  name = 'BoundApiKeys1700000000179';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN needs_certificate boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The older version would take them without a certificate.
UPDATE api_keys SET revoked_at = greatest(now(), created_at) WHERE revoked_at IS NULL AND needs_certificate;
ALTER TABLE api_keys DROP COLUMN needs_certificate;
`);
  }
}
