import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What merchants are told of. */
export class Events1700000000010 implements MigrationInterface {
  name = 'Events1700000000010';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- What has become of a merchant's objects, one row for each change, written in the commit that makes it so.
CREATE TABLE events (
  merchant_id   uuid        NOT NULL,
  id            uuid        NOT NULL,
  type          text        NOT NULL,
  subject       text        NOT NULL,
  data          json        NOT NULL,
  at            timestamptz NOT NULL,
  fanned_out_at timestamptz,
  PRIMARY KEY (merchant_id, id)
);
-- Of whom it is not decided yet who is to be told.
CREATE INDEX events_to_fan_out ON events (id) WHERE fanned_out_at IS NULL;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE events');
  }
}
