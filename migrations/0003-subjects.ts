import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** An operation is asked of PSPs for a payment or for a payout: exactly one of them. */
export class Subjects1700000000003 implements MigrationInterface {
  name = 'Subjects1700000000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE psp_requests ALTER COLUMN payment_id DROP NOT NULL;
ALTER TABLE psp_requests ADD COLUMN payout_id uuid;
ALTER TABLE psp_requests ADD CONSTRAINT psp_requests_one_subject CHECK (num_nonnulls(payment_id, payout_id) = 1);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE psp_requests DROP CONSTRAINT psp_requests_one_subject;
ALTER TABLE psp_requests DROP COLUMN payout_id;
ALTER TABLE psp_requests ALTER COLUMN payment_id SET NOT NULL;
`);
  }
}
