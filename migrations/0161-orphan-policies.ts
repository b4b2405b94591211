import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What becomes of the orphan effects of one merchant. */
export class OrphanPolicies1700000000161 implements MigrationInterface {
  name = 'OrphanPolicies1700000000161';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- automatic: given back at once. approve: once a person approved. NULL: as PAYONCE_ORPHANS says.
ALTER TABLE merchants ADD orphans text CONSTRAINT merchants_orphans CHECK (orphans IN ('automatic', 'approve'));
CREATE INDEX merchants_orphans ON merchants (orphans, id) WHERE orphans IS NOT NULL;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE merchants DROP orphans');
  }
}
