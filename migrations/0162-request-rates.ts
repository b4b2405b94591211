import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** How much one merchant may send. */
export class RequestRates1700000000162 implements MigrationInterface {
  name = 'RequestRates1700000000162';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Requests a second of all its keys together. NULL: as PAYONCE_MERCHANT_RATE says.
ALTER TABLE merchants ADD request_rate integer
  CONSTRAINT merchants_request_rate CHECK (request_rate BETWEEN 1 AND 1000000);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merchants DROP request_rate');
  }
}
