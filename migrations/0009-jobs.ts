import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Work that need not happen inside a request: staged, tried again, and what nobody could finish. */
export class Jobs1700000000009 implements MigrationInterface {
  name = 'Jobs1700000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Jobs on their way to the queue, written in the transaction that makes them necessary. A row is deleted
-- once the queue has it. job_id is what the queue knows the job by: of two with one id, one is run.
-- Not a merchant's: the queue is one for all, so the key does not begin with a merchant.
CREATE TABLE staged_jobs (
  id         uuid        PRIMARY KEY,
  kind       text        NOT NULL,
  job_id     text        NOT NULL CHECK (length(job_id) <= 200),
  args       jsonb       NOT NULL,
  story      jsonb,
  not_before timestamptz,
  staged_at  timestamptz NOT NULL
);

-- Jobs that were given up: refused for good by their handler, tried to the end of their ladder, or the
-- end of three processes. One row for a job, however often it died.
CREATE TABLE dead_letters (
  id             uuid        PRIMARY KEY,
  kind           text        NOT NULL,
  job_id         text        NOT NULL,
  args           jsonb       NOT NULL,
  cause          text        NOT NULL,
  error          text        NOT NULL,
  tries          integer     NOT NULL CHECK (tries > 0),
  first_tried_at timestamptz NOT NULL,
  died_at        timestamptz NOT NULL,
  CONSTRAINT dead_letters_job UNIQUE (kind, job_id)
);
CREATE INDEX dead_letters_by_age ON dead_letters (died_at);

-- Work that is done again and again by one process at a time: whose turn it is, and when it was done last.
CREATE TABLE schedules (
  name         text        PRIMARY KEY,
  every_ms     integer     NOT NULL CHECK (every_ms > 0),
  leased_by    uuid,
  leased_until timestamptz,
  started_at   timestamptz,
  ended_at     timestamptz,
  failures     integer     NOT NULL DEFAULT 0
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE schedules, dead_letters, staged_jobs');
  }
}
