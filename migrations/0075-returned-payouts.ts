import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A payout whose money comes back. */
export class ReturnedPayouts1700000000075 implements MigrationInterface {
  name = 'ReturnedPayouts1700000000075';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE payouts DROP CONSTRAINT payouts_status_check;
ALTER TABLE payouts ADD CONSTRAINT payouts_status_check
  CHECK (status IN ('processing', 'paid', 'failed', 'returned')) NOT VALID;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
UPDATE payouts SET status = 'paid' WHERE status = 'returned';
ALTER TABLE payouts DROP CONSTRAINT payouts_status_check;
ALTER TABLE payouts ADD CONSTRAINT payouts_status_check CHECK (status IN ('processing', 'paid', 'failed'));
`);
  }
}
