import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What the charts of the console read: a row for each minute, PSP and currency, instead of every payment. */
export class Activity1700000000086 implements MigrationInterface {
  name = 'Activity1700000000086';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- A minute that was counted. is_settled: nothing of it is undecided or waits for a capture, so it is not counted again.
CREATE TABLE activity_minutes (
  minute     timestamptz PRIMARY KEY,
  counted_at timestamptz NOT NULL,
  is_settled boolean     NOT NULL
);
CREATE INDEX activity_minutes_unsettled ON activity_minutes (counted_at) WHERE NOT is_settled;
-- Payments that were created in the minute, as they were when it was counted last. psp: '' where none has taken it.
CREATE TABLE activity_payments (
  minute    timestamptz NOT NULL REFERENCES activity_minutes (minute) ON DELETE CASCADE,
  psp       text        NOT NULL,
  currency  text        NOT NULL,
  -- Those that are authorized among them.
  succeeded integer     NOT NULL,
  authorized integer    NOT NULL,
  failed    integer     NOT NULL,
  undecided integer     NOT NULL,
  captured  bigint      NOT NULL,
  PRIMARY KEY (minute, psp, currency)
);
-- Calls to PSPs that began in the minute.
CREATE TABLE activity_calls (
  minute     timestamptz NOT NULL REFERENCES activity_minutes (minute) ON DELETE CASCADE,
  psp        text        NOT NULL,
  succeeded  integer     NOT NULL,
  declined   integer     NOT NULL,
  unanswered integer     NOT NULL,
  -- Of executes, in ms.
  p50_ms     integer,
  p95_ms     integer,
  PRIMARY KEY (minute, psp)
);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE activity_calls, activity_payments, activity_minutes');
  }
}
