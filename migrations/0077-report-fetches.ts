import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Reports that are due to be fetched from PSPs, and what became of each. */
export class ReportFetches1700000000077 implements MigrationInterface {
  name = 'ReportFetches1700000000077';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- One row for each due time of an account's schedule, and for each report that its PSP announced.
CREATE TABLE report_fetches (
  psp         text           NOT NULL,
  id          text           COLLATE "C" NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
  -- The time that it tells of, where it was not announced; else where it is.
  period_from timestamptz(3),
  period_to   timestamptz(3),
  url         text           CHECK (length(url) BETWEEN 1 AND 2048),
  due_at      timestamptz(3) NOT NULL,
  state       text           NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'done', 'refused')),
  tries       integer        NOT NULL DEFAULT 0,
  next_at     timestamptz(3),
  -- Why the last try failed.
  fault       text,
  run_id      uuid,
  PRIMARY KEY (psp, id),
  FOREIGN KEY (psp, run_id) REFERENCES reconciliation_runs (psp, id),
  CONSTRAINT report_fetches_one_way CHECK ((url IS NULL) = (period_from IS NOT NULL AND period_to IS NOT NULL)),
  CONSTRAINT report_fetches_due CHECK ((state = 'due') = (next_at IS NOT NULL)),
  CONSTRAINT report_fetches_done CHECK ((state = 'done') = (run_id IS NOT NULL))
);
CREATE INDEX report_fetches_due_by_account ON report_fetches (psp, next_at) WHERE state = 'due';
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE report_fetches');
  }
}
