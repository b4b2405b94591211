import { escapeIdentifier, escapeLiteral, type Pool, type PoolClient } from 'pg';
import { type QueryRunner } from 'typeorm';
import { sqlState, sqlStateOf } from './sql-state.js';

/** The role of a connection string; null where it names none. */
export function roleOf(url: string): string | null {
  const { username } = new URL(url);
  return username === '' ? null : decodeURIComponent(username);
}

/**
 * True if the role lacks a right on a table or view other than the list of migrations, does not own the schema of the queues, or
 * still has the right to make schemas, which older versions granted.
 */
const DIFFERS = `
SELECT EXISTS (SELECT FROM pg_database d CROSS JOIN aclexplode(d.datacl) acl
                WHERE d.datname = current_database() AND acl.grantee = r.oid AND acl.privilege_type = 'CREATE')
    OR (SELECT nspowner <> r.oid FROM pg_namespace WHERE nspname = 'bullmq')
    OR EXISTS (SELECT FROM pg_class c
                WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND c.relname <> 'schema_migrations'
                  AND NOT (has_table_privilege(r.oid, c.oid, 'SELECT') AND has_table_privilege(r.oid, c.oid, 'INSERT')
                           AND has_table_privilege(r.oid, c.oid, 'UPDATE') AND has_table_privilege(r.oid, c.oid, 'DELETE')))
       AS differs
  FROM pg_roles r WHERE r.rolname = $1`;

/**
 * The grants of the service's role on the tables of another role: read and write rows, and no more. The role owns the
 * schema of its queues and may make no other schema.
 */
const grants = (role: string) => `
DO $$
DECLARE
  item record;
  is_lent boolean := false;
BEGIN
  EXECUTE format('REVOKE CREATE ON DATABASE %I FROM ${role}', current_database());
  IF current_setting('server_version_num')::int >= 170000 THEN
    GRANT MAINTAIN ON report_lines, reconciliation_matches, reconciliation_breaks TO ${role};
  END IF;
  BEGIN
    ALTER SCHEMA bullmq OWNER TO ${role};
  EXCEPTION WHEN insufficient_privilege THEN
    -- Postgres lets only a member of the role give it the schema.
    GRANT ${role} TO CURRENT_USER;
    is_lent := true;
    ALTER SCHEMA bullmq OWNER TO ${role};
  END;
  -- Sequences of a column go with their table.
  FOR item IN SELECT oid::regclass AS name FROM pg_class c
               WHERE relnamespace = 'bullmq'::regnamespace AND relkind IN ('r', 'p', 'S')
                 AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = c.oid AND relkind = 'S' AND deptype IN ('a', 'i')) LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO ${role}', item.name);
  END LOOP;
  FOR item IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'bullmq'::regnamespace LOOP
    EXECUTE format('ALTER ROUTINE %s OWNER TO ${role}', item.name);
  END LOOP;
  IF is_lent THEN REVOKE ${role} FROM CURRENT_USER; END IF;
END $$;
GRANT USAGE ON SCHEMA public TO ${role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM ${role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO ${role};`;

/**
 * Makes the role of this connection string where it is not there, and grants it what the service needs where it
 * lacks some of it. Run by the owner of the tables.
 */
export async function admitService(owner: QueryRunner, serviceUrl: string): Promise<void> {
  const role = roleOf(serviceUrl);
  if (role === null) return;
  await makeRole(owner, role, decodeURIComponent(new URL(serviceUrl).password));
  const [found] = (await owner.query(DIFFERS, [role])) as [{ differs: boolean }];
  if (found.differs) await owner.query(grants(escapeIdentifier(role)));
}

async function makeRole(owner: QueryRunner, role: string, password: string): Promise<void> {
  const found: unknown[] = await owner.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  if (found.length > 0) return;
  try {
    await owner.query(`CREATE ROLE ${escapeIdentifier(role)} LOGIN PASSWORD ${escapeLiteral(password)}`);
  } catch (error) {
    // Roles are the server's: another database of it may have made it at the same moment.
    if (sqlStateOf(error) !== sqlState.DUPLICATE_OBJECT) throw error;
  }
}

/** A schema that has the name of this connection's role and belongs to another role, which could plant functions in it; null if none. */
export async function foreignSchemaOf(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ name: string }>(`
    SELECT nspname AS name FROM pg_namespace n JOIN pg_roles r ON r.rolname = n.nspname
     WHERE r.rolname = current_user AND n.nspowner <> r.oid`);
  return rows[0]?.name ?? null;
}

interface Role {
  readonly name: string;
  readonly bypasses: boolean;
  readonly owns: boolean;
}

/** Why row-level security does not hold for the role of these connections; null where it holds. */
export async function gapOfRole(pool: Pool | PoolClient): Promise<string | null> {
  const { rows } = await pool.query<Role>(`
    SELECT rolname AS name, rolsuper OR rolbypassrls AS bypasses,
           (SELECT bool_or(pg_has_role(relowner, 'MEMBER')) FROM pg_class
             WHERE relnamespace = 'public'::regnamespace AND relrowsecurity) AS owns
      FROM pg_roles WHERE rolname = current_user`);
  const { name, bypasses, owns } = rows[0]!;
  if (bypasses) return `the role ${name} bypasses row-level security`;
  return owns ? `the role ${name} owns the tables, and can switch row-level security off` : null;
}
