import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** When a PSP account that had failed answered again. */
export class PspReturns1700000000171 implements MigrationInterface {
  name = 'PspReturns1700000000171';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE psp_returns (
  psp       text PRIMARY KEY,
  -- When one of its routes was last asked about whether the PSP is back.
  probed_at timestamptz,
  -- When it last answered after failures: routes in doubt since before are due within a minute of it.
  back_at   timestamptz
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE psp_returns');
  }
}
