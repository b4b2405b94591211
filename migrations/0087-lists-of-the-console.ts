import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What the console lists by time over all merchants and PSPs. */
export class ListsOfTheConsole1700000000087 implements MigrationInterface {
  name = 'ListsOfTheConsole1700000000087';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Few: what is delivered leaves it.
CREATE INDEX webhook_deliveries_undelivered ON webhook_deliveries (event_id, endpoint_id)
  WHERE status IN ('pending', 'exhausted');
CREATE INDEX webhook_inbox_newest ON webhook_inbox (received_at, psp, event_id);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX webhook_deliveries_undelivered, webhook_inbox_newest');
  }
}
