import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';

/** A merchant's disputes are listed without a look at its other payments. */
export class DisputedPayments1700000000188 implements MigrationInterface {
  name = 'DisputedPayments1700000000188';
  transaction = false as const;

  async up(runner: QueryRunner): Promise<void> {
    await buildIndex(runner, 'payments_disputed', 'payments (merchant_id) WHERE disputes IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS payments_disputed');
  }
}
