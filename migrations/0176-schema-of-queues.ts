import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * The owner of the tables makes the schema of the queues and gives it to the service's role (service-role.ts), which
 * therefore needs no right to make schemas: Postgres searched a schema named like the owner first in the owner's sessions.
 */
export class SchemaOfQueues1700000000176 implements MigrationInterface {
  name = 'SchemaOfQueues1700000000176';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
DO $$ BEGIN
  IF to_regnamespace('bullmq') IS NULL THEN CREATE SCHEMA bullmq; END IF;
END $$;
-- Databases that were made before Postgres 15 grant it.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
`);
  }

  async down(): Promise<void> {
    // An older version makes the schema where it is missing, and works with the one that is there.
  }
}
