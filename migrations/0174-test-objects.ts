import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Payments, refunds and payouts say whether they are of test mode; a key keeps the address that its first request came from. */
export class TestObjects1700000000174 implements MigrationInterface {
  name = 'TestObjects1700000000174';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`
-- NULL: its money is real.
ALTER TABLE ${table} ADD COLUMN test boolean;
UPDATE ${table} SET test = true WHERE merchant_id IN (SELECT id FROM merchants WHERE test_of IS NOT NULL);
`);
    }
    await runner.query('ALTER TABLE idempotency_keys ADD COLUMN source_address text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE idempotency_keys DROP COLUMN source_address');
    for (const table of TABLES) await runner.query(`ALTER TABLE ${table} DROP COLUMN test`);
  }
}

const TABLES = ['payments', 'refunds', 'payouts'];
