import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A payment names its customer as the merchant did. Found by it as before, by the keyed hash. */
export class CustomersKept1700000000190 implements MigrationInterface {
  name = 'CustomersKept1700000000190';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments ADD customer_reference text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE payments DROP customer_reference');
  }
}
