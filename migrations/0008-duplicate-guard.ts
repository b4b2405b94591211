import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The same payment asked for twice under different keys, for merchants that want to be told. */
export class DuplicateGuard1700000000008 implements MigrationInterface {
  name = 'DuplicateGuard1700000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- For how long a payment like the one before is taken for a mistake, in seconds; 0 = never.
ALTER TABLE merchants ADD COLUMN duplicate_window_s integer NOT NULL DEFAULT 0
  CONSTRAINT merchants_duplicate_window CHECK (duplicate_window_s BETWEEN 0 AND 86400);

-- The last payment of each likeness, for as long as the next one like it is held to be a mistake.
-- digest is a keyed hash of customer, amount, currency and reference: nobody is stored in clear.
-- Written in the commit that opens the payment, so that its primary key decides races.
CREATE TABLE duplicate_guards (
  merchant_id uuid        NOT NULL,
  digest      text        COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  payment_id  uuid        NOT NULL,
  until       timestamptz NOT NULL,
  CONSTRAINT duplicate_guards_pkey PRIMARY KEY (merchant_id, digest)
);
CREATE INDEX duplicate_guards_lapsed ON duplicate_guards (until);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE duplicate_guards; ALTER TABLE merchants DROP COLUMN duplicate_window_s');
  }
}
