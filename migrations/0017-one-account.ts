import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which account a route was sent to, why it is stuck, and one key at PSPs for one request of a client. */
export class OneAccount1700000000017 implements MigrationInterface {
  name = 'OneAccount1700000000017';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- account_fingerprint: a digest of the account that the PSP's name stood for when the route was opened;
-- null: opened before this was stored. stuck_reason: why a person is needed, for that person.
ALTER TABLE psp_requests ADD COLUMN account_fingerprint text, ADD COLUMN stuck_reason text;

-- No two routes of a merchant show PSPs the same key, whichever PSP it is: the key of a first route comes
-- of the client's Idempotency-Key, and a request whose key was forgotten here is met by its own route.
DROP INDEX psp_requests_psp_idempotency_key;
CREATE UNIQUE INDEX psp_requests_psp_idempotency_key ON psp_requests (merchant_id, psp_idempotency_key);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX psp_requests_psp_idempotency_key;
CREATE UNIQUE INDEX psp_requests_psp_idempotency_key ON psp_requests (merchant_id, psp, psp_idempotency_key);
ALTER TABLE psp_requests DROP COLUMN account_fingerprint, DROP COLUMN stuck_reason;
`);
  }
}
