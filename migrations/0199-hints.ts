import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** When a PSP last said, without proof, that something has become of a route. */
export class Hints1700000000199 implements MigrationInterface {
  name = 'Hints1700000000199';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE psp_requests ADD COLUMN hinted_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE psp_requests DROP COLUMN hinted_at');
  }
}
