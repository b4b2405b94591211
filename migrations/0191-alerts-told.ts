import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Alerts that the channels of people have taken: one row for each list and channel. */
export class AlertsTold1700000000191 implements MigrationInterface {
  name = 'AlertsTold1700000000191';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
CREATE TABLE alerts_told (
  channel   text        NOT NULL,
  kind      text        NOT NULL,
  count     integer     NOT NULL CHECK (count >= 0),
  newest_at timestamptz,
  told_at   timestamptz NOT NULL,
  CONSTRAINT alerts_told_pkey PRIMARY KEY (channel, kind)
);
ALTER TABLE alerts_told ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY all_tenants ON alerts_told USING (payonce_sees_all())`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE alerts_told');
  }
}
