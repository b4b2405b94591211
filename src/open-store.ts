import { type EntitySchema } from 'typeorm';
import { migrations } from '../migrations/index.js';
import { type Config, type Database, migrate, openDatabase, startEmbeddedPostgres } from './kernel/index.js';

/** The database as configured or embedded, migrated and open. */
export interface Store {
  readonly database: Database;
  /** The names of the migrations that this start has run. */
  readonly migrated: readonly string[];
  /** Closes the connections and gives up the embedded server, which stops when nobody else uses it. */
  close(): Promise<void>;
}

/** Opens what the service and its commands keep their data in. */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  options: { entities: readonly EntitySchema[]; poolSize: number; applicationName: string },
): Promise<Store> {
  const embedded = config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir) : null;
  const url = embedded?.url ?? config.databaseUrl!;
  let database: Database | undefined;
  const close = async () => {
    try {
      await database?.close();
    } finally {
      await embedded?.release();
    }
  };
  try {
    database = await openDatabase({ url, migrations, ...options });
    return { database, migrated: await migrate(database.dataSource), close };
  } catch (error) {
    await close();
    throw error;
  }
}
