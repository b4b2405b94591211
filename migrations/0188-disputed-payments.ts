import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A merchant's disputes are listed without a look at its other payments. */
export class DisputedPayments1700000000188 implements MigrationInterface {
  name = 'DisputedPayments1700000000188';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX payments_disputed ON payments (merchant_id) WHERE disputes IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX payments_disputed');
  }
}
