import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Breakers of PSP accounts that operators open and close, and those that are open by themselves. */
export class PspBreakers1700000000085 implements MigrationInterface {
  name = 'PspBreakers1700000000085';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What an operator did last to the breaker of an account. Every process reads it once a second, and applies each
-- version once: a breaker that is closed by hand may open by itself again.
CREATE TABLE psp_breakers (
  psp        text        PRIMARY KEY CHECK (length(psp) BETWEEN 1 AND 64),
  held_open  boolean     NOT NULL,
  version    integer     NOT NULL DEFAULT 1,
  changed_by text        NOT NULL,
  changed_at timestamptz NOT NULL,
  note       text        NOT NULL CHECK (length(note) BETWEEN 1 AND 500)
);
-- A breaker that is open in a process, as that process last said. Each has breakers of its own.
CREATE TABLE psp_open_breakers (
  psp       text        NOT NULL,
  process   uuid        NOT NULL,
  opened_at timestamptz NOT NULL,
  seen_at   timestamptz NOT NULL,
  PRIMARY KEY (psp, process)
);
-- Calls of the last minutes; costs a hot commit next to nothing, because attempts arrive in the order of time.
CREATE INDEX psp_attempts_in_time ON psp_attempts USING brin (started_at) WITH (pages_per_range = 32, autosummarize = on);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX psp_attempts_in_time; DROP TABLE psp_open_breakers, psp_breakers');
  }
}
