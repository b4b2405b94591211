/**
 * Lets time pass for a database, which is the one clock that services stamp and judge by: functions of ours before those of
 * Postgres, for every session from now on.
 * @param ms how much in all
 */
export function travelSql(database: string, ms: number): readonly string[] {
  const shifted = ['clock_timestamp', 'statement_timestamp', 'now'].map(
    (name) => `
      CREATE OR REPLACE FUNCTION public.${name}() RETURNS timestamptz LANGUAGE sql STABLE AS
        $$ SELECT pg_catalog.${name}() + interval '${ms} ms' $$`,
  );
  return [...shifted, `ALTER DATABASE ${database} SET search_path = public, pg_catalog`];
}
