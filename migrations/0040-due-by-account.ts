import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Due routes by PSP account, so that the task of one account does not read the backlog of another. */
export class DueByAccount1700000000040 implements MigrationInterface {
  name = 'DueByAccount1700000000040';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DROP INDEX psp_requests_due, psp_requests_look_again;
CREATE INDEX psp_requests_due ON psp_requests (psp, next_step_at)
  WHERE verdict = 'open' AND next_step_at IS NOT NULL;
CREATE INDEX psp_requests_look_again ON psp_requests (psp, look_again_at)
  WHERE verdict = 'ruled_out' AND look_again_at IS NOT NULL;

-- psp_requests_by_psp_reference finds the same rows as fast: one or two requests have the same PSP reference.
DROP INDEX psp_requests_by_reference;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE INDEX psp_requests_by_reference ON psp_requests (psp_reference, psp)
  WHERE operation IN ('charge', 'authorize') AND psp_reference IS NOT NULL;
DROP INDEX psp_requests_due, psp_requests_look_again;
CREATE INDEX psp_requests_due ON psp_requests (next_step_at) WHERE verdict = 'open' AND next_step_at IS NOT NULL;
CREATE INDEX psp_requests_look_again ON psp_requests (look_again_at)
  WHERE verdict = 'ruled_out' AND look_again_at IS NOT NULL;
`);
  }
}
