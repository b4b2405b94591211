import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Tries to sign in that failed are counted for each operator and source, so that whoever guesses waits, and the operator
 * does not. A source is an address (of IPv6 the network of a customer), or a device that the operator signed in from.
 */
export class TriesToSignIn1700000000178 implements MigrationInterface {
  name = 'TriesToSignIn1700000000178';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE sign_in_tries (
  operator_id  uuid        NOT NULL REFERENCES operators (id),
  source       text        NOT NULL CHECK (length(source) <= 100),
  -- Since the last one that succeeded, or within a day; until locked_until no further one is looked at.
  failures     integer     NOT NULL,
  locked_until timestamptz,
  tried_at     timestamptz NOT NULL,
  PRIMARY KEY (operator_id, source)
);
CREATE INDEX sign_in_tries_old ON sign_in_tries (tried_at);
ALTER TABLE operators DROP COLUMN failures, DROP COLUMN locked_until;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP TABLE sign_in_tries;
ALTER TABLE operators ADD COLUMN failures integer NOT NULL DEFAULT 0, ADD COLUMN locked_until timestamptz;
`);
  }
}
