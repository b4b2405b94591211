import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The server that took a file for a bank. */
export class ServersOfBankFiles1700000000173 implements MigrationInterface {
  name = 'ServersOfBankFiles1700000000173';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- The server and folder that have it, or had it until the bank took it. NULL: not put yet, or put before this was stored.
ALTER TABLE bank_batches ADD server text CONSTRAINT bank_batches_server CHECK (length(server) BETWEEN 1 AND 1000);
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bank_batches DROP server');
  }
}
