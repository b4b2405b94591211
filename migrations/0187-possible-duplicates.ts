import { type MigrationInterface, type QueryRunner } from 'typeorm';

const OF_REPORTS = `'missing_at_psp', 'missing_here', 'amount_mismatch', 'currency_mismatch', 'fee_mismatch', 'status_mismatch',
  'duplicate_effect', 'late_success', 'wrong_psp', 'timing'`;
const OF_NOTIFICATIONS = `event_id IS NOT NULL AND category IN ('contradiction', 'operation_unknown')`;

/** Two payments that look like one, paid twice, are a break of their own, unless the merchant uses references again. */
export class PossibleDuplicates1700000000187 implements MigrationInterface {
  name = 'PossibleDuplicates1700000000187';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE merchants ADD payment_references text NOT NULL DEFAULT 'unique'
  CONSTRAINT merchants_payment_references CHECK (payment_references IN ('unique', 'repeat'));
ALTER TABLE reconciliation_breaks DROP CONSTRAINT reconciliation_breaks_category,
  ADD CONSTRAINT reconciliation_breaks_category CHECK (category IN (${OF_REPORTS}, 'possible_duplicate') OR (${OF_NOTIFICATIONS})) NOT VALID;
ALTER TABLE reconciliation_breaks VALIDATE CONSTRAINT reconciliation_breaks_category;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DELETE FROM reconciliation_breaks WHERE category = 'possible_duplicate';
ALTER TABLE reconciliation_breaks DROP CONSTRAINT reconciliation_breaks_category,
  ADD CONSTRAINT reconciliation_breaks_category CHECK (category IN (${OF_REPORTS}) OR (${OF_NOTIFICATIONS}));
ALTER TABLE merchants DROP payment_references;
`);
  }
}
