import { type QueryRunner } from 'typeorm';

/**
 * Builds an index while payments go on, for which the migration must not be one transaction (`transaction = false`). May be
 * tried again: what a try left half built is dropped first.
 * @param definition what follows `ON`: the table, its columns and a condition
 */
export async function buildIndex(
  runner: QueryRunner,
  name: string,
  definition: string,
  unique: 'unique' | '' = '',
): Promise<void> {
  const broken = (await runner.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [name],
  )) as readonly unknown[];
  if (broken.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
  await runner.query(`CREATE ${unique} INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${definition}`);
}
