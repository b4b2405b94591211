import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Updates of payments and attempts leave their indexes alone. */
export class RoomForTheSecondVersion1700000000052 implements MigrationInterface {
  name = 'RoomForTheSecondVersion1700000000052';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A payment and an attempt are inserted before the PSP is called and updated after it, and no index holds a column
-- that changes then. With room for the second version on the page of the first, the update writes no index entry.
-- Pages that were filled before stay as they are.
ALTER TABLE payments SET (fillfactor = 50);
ALTER TABLE psp_attempts SET (fillfactor = 50);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
ALTER TABLE payments RESET (fillfactor);
ALTER TABLE psp_attempts RESET (fillfactor);
`);
  }
}
