import { type MigrationInterface, type QueryRunner } from 'typeorm';

const rolesAre = (roles: string) => `
ALTER TABLE operators DROP CONSTRAINT operators_role_check,
  ADD CONSTRAINT operators_role_check CHECK (role IN (${roles}))`;

/** Operators of finance import reports and see to breaks; they ask no PSP to do anything. */
export class FinanceRole1700000000192 implements MigrationInterface {
  name = 'FinanceRole1700000000192';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(rolesAre("'viewer', 'finance', 'operator', 'approver', 'admin'"));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("UPDATE operators SET role = 'viewer' WHERE role = 'finance'");
    await runner.query(rolesAre("'viewer', 'operator', 'approver', 'admin'"));
  }
}
