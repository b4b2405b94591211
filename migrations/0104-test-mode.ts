import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The test mode of a merchant is a merchant of its own, which the walls between merchants keep apart. */
export class TestMode1700000000104 implements MigrationInterface {
  name = 'TestMode1700000000104';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- NULL: its money is real, as that of all merchants so far.
ALTER TABLE merchants
  ADD COLUMN test_of uuid REFERENCES merchants (id),
  ADD CONSTRAINT merchants_test_of UNIQUE (test_of),
  ADD CONSTRAINT merchants_test_of_another CHECK (test_of <> id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The older version would let keys of test mode reach every PSP account; it also takes them for misspelt ones.
UPDATE api_keys SET revoked_at = greatest(now(), created_at)
 WHERE revoked_at IS NULL AND merchant_id IN (SELECT id FROM merchants WHERE test_of IS NOT NULL);
ALTER TABLE merchants DROP COLUMN test_of;
`);
  }
}
