type Sql = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The tables in which one of these secrets stands, as `<table>: <secret>`. Must be none. */
export async function leaksInTables(sql: Sql, secrets: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const hits = tables.map(
    ({ name }) => `
      SELECT '${name}: ' || hidden.secret AS hit FROM unnest($1::text[]) AS hidden (secret)
       WHERE EXISTS (SELECT 1 FROM ${name} t WHERE strpos(t::text, hidden.secret) > 0)`,
  );
  const found = await sql<{ hit: string }>(hits.join(' UNION ALL '), [secrets]);
  return found.map(({ hit }) => hit);
}
