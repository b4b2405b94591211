import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The way a payment is paid, where that is no card. */
export class PaymentMethods1700000000198 implements MigrationInterface {
  name = 'PaymentMethods1700000000198';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments ADD COLUMN method text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments DROP COLUMN method');
  }
}
