import { type QueryRunner } from 'typeorm';

/**
 * Builds an index while payments go on, for which the migration must not be one transaction (`transaction = false`). May be
 * tried again: what a try left half built is dropped first. A table that is divided by time (`payonce migrate --partitions`)
 * gets it partition by partition.
 * @param definition what follows `ON`: the table, its columns and a condition
 */
export async function buildIndex(
  runner: QueryRunner,
  name: string,
  definition: string,
  unique: 'unique' | '' = '',
): Promise<void> {
  const [, table, columns] = /^(\w+) (.*)$/s.exec(definition)!;
  const partitions = (await runner.query(
    'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = to_regclass($1)',
    [table],
  )) as readonly { readonly name: string }[];
  if (partitions.length === 0) return build(runner, name, definition, unique);
  await runner.query(`CREATE ${unique} INDEX IF NOT EXISTS ${name} ON ONLY ${definition}`);
  for (const { name: partition } of partitions) {
    const part = `${partition}_${name}`.slice(0, MOST_CHARACTERS);
    await build(runner, part, `${partition} ${columns}`, unique);
    await runner.query(`ALTER INDEX ${name} ATTACH PARTITION ${part}`);
  }
}

/** Postgres cuts longer names. */
const MOST_CHARACTERS = 63;

async function build(runner: QueryRunner, name: string, definition: string, unique: string): Promise<void> {
  const broken = (await runner.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [name],
  )) as readonly unknown[];
  if (broken.length > 0) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
  await runner.query(`CREATE ${unique} INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${definition}`);
}
