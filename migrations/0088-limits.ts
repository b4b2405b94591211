import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Token buckets that all processes share, and a checksum in each API key. */
export class Limits1700000000088 implements MigrationInterface {
  name = 'Limits1700000000088';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What is left of each bucket. A process takes a share at a time; a bucket that is not here is full. It is of no
-- use after a crash, so it costs no WAL.
CREATE UNLOGGED TABLE rate_buckets (
  name        text             COLLATE "C" PRIMARY KEY CHECK (length(name) <= 100),
  tokens      double precision NOT NULL CHECK (tokens >= 0),
  -- By the last process that asked.
  taken       double precision NOT NULL CHECK (taken >= 0),
  per_second  double precision NOT NULL CHECK (per_second > 0),
  capacity    double precision NOT NULL CHECK (capacity >= 1),
  refilled_at timestamptz      NOT NULL
) WITH (fillfactor = 50);

-- The secret under which the checksums of API keys are made, one for the installation. It opens nothing: it tells
-- keys that were issued here from inventions, without a look at api_keys. 244 random bits.
CREATE TABLE api_key_checksum (
  one    boolean PRIMARY KEY DEFAULT true CHECK (one),
  secret bytea   NOT NULL CHECK (length(secret) = 32)
);
INSERT INTO api_key_checksum (secret)
VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

-- Keys that were issued before have none.
ALTER TABLE api_keys ADD COLUMN has_checksum boolean NOT NULL DEFAULT false;
CREATE INDEX api_keys_without_checksum ON api_keys (prefix) WHERE NOT has_checksum;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE rate_buckets;
DROP TABLE api_key_checksum;
-- The older version takes keys with a checksum for misspelt ones: their merchants need new keys.
ALTER TABLE api_keys DROP COLUMN has_checksum;
`);
  }
}
