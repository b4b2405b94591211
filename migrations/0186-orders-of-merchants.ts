import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A merchant's payments are for the orders that they name, or each for the order of its reference. */
export class OrdersOfMerchants1700000000186 implements MigrationInterface {
  name = 'OrdersOfMerchants1700000000186';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE merchants ADD orders text NOT NULL DEFAULT 'named'
  CONSTRAINT merchants_orders CHECK (orders IN ('named', 'by_reference'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merchants DROP orders');
  }
}
