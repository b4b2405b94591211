import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Keys that end by themselves, and when each was last used. */
export class ApiKeyLifetime1700000000070 implements MigrationInterface {
  name = 'ApiKeyLifetime1700000000070';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- NULL: until it is revoked.
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz CHECK (expires_at >= created_at);
-- To the minute; NULL: never, or before this column was there.
ALTER TABLE api_keys ADD COLUMN last_used_at timestamptz;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The older version would let an expired key in for ever.
UPDATE api_keys SET revoked_at = expires_at WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
ALTER TABLE api_keys DROP COLUMN expires_at, DROP COLUMN last_used_at;
`);
  }
}
