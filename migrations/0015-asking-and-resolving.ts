import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Routes that clients' asking had used up go on. */
export class AskingAndResolving1700000000015 implements MigrationInterface {
  name = 'AskingAndResolving1700000000015';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The schedule follows from the time since a doubt began. Routes that were given up before it was over, because
-- clients had asked so often, are looked at again; a worker finds that the others are still stuck.
UPDATE psp_requests SET next_step_at = statement_timestamp(), stuck_at = NULL, fence = fence + 1
 WHERE verdict = 'open' AND stuck_at IS NOT NULL AND opened_at > statement_timestamp() - interval '3 days';
`);
  }

  async down(): Promise<void> {}
}
