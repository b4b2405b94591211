import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** What holds data of merchants, and is no merchant's: the queue, notifications of PSPs, files of banks. */
const OF_ALL = [
  'staged_jobs',
  'dead_letters',
  'webhook_inbox',
  'break_notes',
  'bank_batches',
  'bank_instructions',
  'bank_files',
];

/** Row-level security: a session sees the rows of the merchants that it names. */
export class Tenants1700000000080 implements MigrationInterface {
  name = 'Tenants1700000000080';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
-- Whose rows a transaction may see and write, in the setting payonce.tenants: {<merchant id>,...}, or * for what
-- works for all merchants (workers, operators, commands). Unset: none.
CREATE FUNCTION payonce_sees_all() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT current_setting('payonce.tenants', true) = '*'
$$;
-- A look into a text: what it costs hardly grows with the number of merchants, and no planner takes it for a
-- condition of an index.
CREATE FUNCTION payonce_sees(merchant uuid) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT current_setting('payonce.tenants', true) = '*' OR strpos(current_setting('payonce.tenants', true), merchant::text) > 0
$$;

-- Walls a table in; owner is the column that names the merchant.
CREATE FUNCTION payonce_wall_in(walled regclass, owner name) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled);
  EXECUTE format('CREATE POLICY tenants ON %s USING (payonce_sees(%I))', walled, owner);
END $$;

SELECT payonce_wall_in('merchants', 'id');
SELECT payonce_wall_in(c.oid, 'merchant_id') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
   AND a.attname = 'merchant_id' AND NOT a.attisdropped;
${OF_ALL.map(
  (table) => `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY all_tenants ON ${table} USING (payonce_sees_all()) WITH CHECK (true);`,
).join('')}
`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
DO $$
DECLARE
  walled record;
BEGIN
  FOR walled IN SELECT polname AS policy, polrelid::regclass AS name FROM pg_policy
                 WHERE polname IN ('tenants', 'all_tenants') LOOP
    EXECUTE format('DROP POLICY %I ON %s', walled.policy, walled.name);
    EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', walled.name);
  END LOOP;
END $$;
DROP FUNCTION payonce_wall_in(regclass, name), payonce_sees(uuid), payonce_sees_all();
`);
  }
}
