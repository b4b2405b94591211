import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Which database this is, so that one that may have lost commits is noticed. */
export class FailoverHold1700000000044 implements MigrationInterface {
  name = 'FailoverHold1700000000044';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The server, the timeline of its WAL and the database that the last process met: a standby that was promoted
-- has another timeline, a restored backup another timeline, server or database. Then no operation goes to
-- another PSP until held_until, unless the PSP's answer to its key lets it (docs/operations.md#lost-commits).
-- One row, written by the first start.
CREATE TABLE failover_hold (
  one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
  identity   text        COLLATE "C" NOT NULL,
  held_until timestamptz,
  -- system:session, or the person who held or resumed it.
  changed_by text        NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE failover_hold');
  }
}
