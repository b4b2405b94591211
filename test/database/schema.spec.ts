import { readFileSync, writeFileSync } from 'node:fs';
import { freshDatabase, onDatabase } from '../support/database.js';

/**
 * One row for each statement: tables and views in the order of their names, each table with its indexes, triggers, policies and what the service's
 * role may do with it, and functions at the end.
 */
const STATEMENTS = `
WITH tables AS (
  SELECT oid, relname AS name, relrowsecurity AS walled, relforcerowsecurity AS forced, relowner AS owner, relacl AS acl
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
), columns AS (
  SELECT attrelid AS oid, attnum, attname, attacl, concat_ws(' ', quote_ident(attname), format_type(atttypid, atttypmod),
           CASE WHEN attgenerated <> '' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(adbin, adrelid) || ') STORED'
                WHEN attidentity <> '' THEN 'GENERATED ALWAYS AS IDENTITY'
                ELSE 'DEFAULT ' || pg_get_expr(adbin, adrelid) END,
           CASE WHEN attnotnull THEN 'NOT NULL' END) AS line
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
   WHERE attnum > 0 AND NOT attisdropped
), written AS (
  SELECT name, 1 AS part, '' AS own, format(E'CREATE TABLE %I (\\n  %s\\n)', name, concat_ws(E',\\n  ',
           (SELECT string_agg(line, E',\\n  ' ORDER BY attnum) FROM columns WHERE columns.oid = tables.oid),
           (SELECT string_agg(format('CONSTRAINT %I %s', conname, pg_get_constraintdef(oid)), E',\\n  '
                              ORDER BY contype DESC, conname)
              FROM pg_constraint WHERE conrelid = tables.oid AND contype IN ('p', 'u', 'c', 'f', 'x')))) AS sql
    FROM tables
  UNION ALL
  SELECT name, 2, indexname, indexdef FROM tables JOIN pg_indexes ON tablename = name AND schemaname = 'public'
   WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname AND conrelid = tables.oid)
  UNION ALL
  SELECT name, 3, tgname, pg_get_triggerdef(pg_trigger.oid) FROM tables JOIN pg_trigger ON tgrelid = tables.oid
   WHERE NOT tgisinternal
  UNION ALL
  SELECT name, 4, '', format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY%s', name,
           CASE WHEN forced THEN ', FORCE ROW LEVEL SECURITY' END)
    FROM tables WHERE walled
  UNION ALL
  SELECT name, 5, polname, concat_ws(' ', format('CREATE POLICY %I ON %I', polname, name),
           CASE polcmd WHEN 'r' THEN 'FOR SELECT' WHEN 'a' THEN 'FOR INSERT' WHEN 'w' THEN 'FOR UPDATE'
                       WHEN 'd' THEN 'FOR DELETE' END,
           'USING (' || pg_get_expr(polqual, polrelid) || ')',
           'WITH CHECK (' || pg_get_expr(polwithcheck, polrelid) || ')')
    FROM tables JOIN pg_policy ON polrelid = tables.oid
  UNION ALL
  SELECT name, 6, '', format('GRANT %s ON %I TO %s', string_agg(privilege_type, ', ' ORDER BY privilege_type), name,
           CASE grantee WHEN 0 THEN 'PUBLIC' ELSE 'service' END)
    FROM (SELECT name, owner, acl FROM tables
          UNION ALL SELECT relname, relowner, relacl FROM pg_class
           WHERE relnamespace = 'public'::regnamespace AND relkind = 'v') granted, aclexplode(acl)
   WHERE grantee <> owner GROUP BY name, grantee
  UNION ALL
  SELECT name, 7, privilege_type, format('GRANT %s (%s) ON %I TO %s', privilege_type,
           string_agg(quote_ident(attname), ', ' ORDER BY attnum), name, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE 'service' END)
    FROM tables JOIN columns USING (oid), aclexplode(attacl) WHERE grantee <> owner
   GROUP BY name, privilege_type, grantee
  UNION ALL
  SELECT relname, 1, '', format('CREATE VIEW %I WITH (%s) AS%s', relname, array_to_string(reloptions, ', '),
           rtrim(E'\n' || pg_get_viewdef(oid), ';'))
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'
  UNION ALL
  SELECT '~', 0, proname, trim(E'\\n' FROM pg_get_functiondef(oid)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
)
SELECT sql FROM written ORDER BY name COLLATE "C", part, own COLLATE "C"`;

const HEAD = `-- The tables of an installation as all migrations together make them, for reading. Reasons stand in the migrations.
-- UPDATE_SCHEMA=1 npx jest test/database/schema.spec.ts writes it anew.
`;

// Skipped with TEST_DATABASE_URL: that server may be of another major version, whose catalog words definitions in
// another way and knows other rights. The run without it compares the same migrations.
const onOurPostgres = process.env['TEST_DATABASE_URL'] ? it.skip : it;

onOurPostgres('docs/schema.sql says what the migrations make', async () => {
  const fresh = await freshDatabase();
  const { rows } = await onDatabase(fresh.url, (client) => client.query<{ sql: string }>(STATEMENTS));
  await fresh.drop();
  const made = [HEAD, ...rows.map(({ sql }) => `${sql};\n`)].join('\n');
  if (process.env['UPDATE_SCHEMA']) writeFileSync('docs/schema.sql', made);
  expect(readFileSync('docs/schema.sql', 'utf8')).toBe(made);
});
