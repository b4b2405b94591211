import { migrations } from '../../migrations/index.js';
import { migrate, openDatabase } from '../../src/database/database.js';
import { type FreshDatabase } from './database.js';

/** Runs migrations on a database of a test's own: all of them unless told, as the start of a service does. */
export async function migrateDatabase(
  { url, serviceUrl }: Pick<FreshDatabase, 'url' | 'serviceUrl'>,
  wanted: readonly (typeof migrations)[number][] = migrations,
  applicationName = 'payonce-stage',
): Promise<void> {
  const database = await openDatabase({
    url,
    entities: [],
    migrations: wanted,
    poolSize: 1,
    applicationName,
  });
  try {
    await migrate(database.dataSource, serviceUrl);
  } finally {
    await database.close();
  }
}
