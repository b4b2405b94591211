import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Where the trace of each payment and payout began. */
export class OperationTraces1700000000089 implements MigrationInterface {
  name = 'OperationTraces1700000000089';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Written only while tracing is on. A trace that is lost in a crash is no loss, so it costs no WAL.
CREATE UNLOGGED TABLE operation_traces (
  -- A payment or a payout.
  subject     uuid        PRIMARY KEY,
  -- W3C: version, trace, span, flags.
  traceparent text        COLLATE "C" NOT NULL CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  at          timestamptz NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX operation_traces_at ON operation_traces USING brin (at);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operation_traces');
  }
}
