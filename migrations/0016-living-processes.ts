import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Processes have numbers, so that a lock says whose it is. */
export class LivingProcesses1700000000016 implements MigrationInterface {
  name = 'LivingProcesses1700000000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Each session in which a process shows that it lives draws a number and holds the advisory lock of it.
CREATE SEQUENCE process_numbers AS integer CYCLE;

-- The number in a lock token that a living process drew: its first eight digits, where it is of version 8.
-- Null for any other token: of its holder nothing is known, and it is held until it lapses.
CREATE FUNCTION payonce_process_of(token uuid) RETURNS integer
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN substr(token::text, 15, 1) = '8' THEN ('x' || left(token::text, 8))::bit(32)::integer END
$$;
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION payonce_process_of(uuid); DROP SEQUENCE process_numbers');
  }
}
