import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which seal key the database was written with. */
export class SealKey1700000000037 implements MigrationInterface {
  name = 'SealKey1700000000037';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The id of the seal key that values are encrypted with: an HMAC under the key itself. One row, written by
-- the first start and moved by a rotation. A start with another key is refused.
CREATE TABLE seal_key (
  one    boolean     PRIMARY KEY DEFAULT true CHECK (one),
  key_id text        COLLATE "C" NOT NULL CHECK (key_id ~ '^[0-9a-f]{16}$'),
  since  timestamptz NOT NULL DEFAULT clock_timestamp()
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE seal_key');
  }
}
