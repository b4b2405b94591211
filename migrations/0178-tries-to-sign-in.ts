import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Failed sign-ins are counted for each operator and source, so that a guesser waits and the operator does not. A source
 * is an address (for IPv6 the /64 network), or a browser from which the operator has signed in.
 */
export class TriesToSignIn1700000000178 implements MigrationInterface {
  name = 'TriesToSignIn1700000000178';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE sign_in_tries (
  operator_id  uuid        NOT NULL REFERENCES operators (id),
  source       text        NOT NULL CHECK (length(source) <= 100),
  -- Failed sign-ins since the last success, at most a day old; before locked_until the next one is not checked.
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
