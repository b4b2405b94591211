import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What the idempotency factory remembers of calls that are not a client's requests. */
export class IdempotentCalls1700000000006 implements MigrationInterface {
  name = 'IdempotentCalls1700000000006';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One call under one key: a lock while its handler runs (record is null), its answer afterwards.
-- expires_at is the end of the lock's lease or of the answer's retention; past it the row counts as
-- not there. The name (i9y:<operation>:<id>) leads the key and not a merchant: a call need not be
-- one's, and where it is the id says so. The tables can be spread by name.
CREATE TABLE idempotent_calls (
  name        text        COLLATE "C" PRIMARY KEY CHECK (name ~ '^i9y:[a-z0-9-]+:.' AND length(name) <= 400),
  token       uuid        NOT NULL,
  fingerprint text        NOT NULL CHECK (length(fingerprint) BETWEEN 1 AND 128),
  record      text        CHECK (octet_length(record) <= 1100000),
  expires_at  timestamptz NOT NULL
);
-- What is forgotten.
CREATE INDEX idempotent_calls_expires ON idempotent_calls (expires_at);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotent_calls');
  }
}
