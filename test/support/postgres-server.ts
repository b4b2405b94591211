import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/database/embedded/embedded-postgres.js';
import { type FreshDatabase } from './database.js';
import { eventually } from './eventually.js';
import { migrateDatabase } from './migrated.js';
import { endPostmaster } from './postmaster.js';

/** A real Postgres of a test's own, migrated: it may be killed without harm to other tests. */
export class PostgresServer implements FreshDatabase {
  private constructor(
    private server: EmbeddedPostgres,
    private readonly directory: string,
  ) {}

  get url(): string {
    return this.server.url;
  }

  get serviceUrl(): string {
    return this.server.serviceUrl;
  }

  /** `directory`: an empty one, where it matters which; its user must be able to enter it. */
  static async start(directory = ownDirectory()): Promise<PostgresServer> {
    const server = new PostgresServer(await startEmbeddedPostgres(directory), directory);
    await migrateDatabase(server);
    return server;
  }

  /** SIGKILL to the postmaster, its backends follow by themselves; resolves when nobody answers. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Sessions are ended, and what is committed is written. */
  stop(): Promise<void> {
    return this.end('SIGINT');
  }

  private end(signal: NodeJS.Signals): Promise<void> {
    return endPostmaster(join(this.directory, 'postgres'), signal);
  }

  /** After a kill: comes back as a standby that is promoted, on a timeline of its own. */
  async promote(): Promise<void> {
    const data = join(this.directory, 'postgres');
    appendFileSync(join(data, 'postgresql.auto.conf'), "restore_command = 'false'\n");
    writeFileSync(join(data, 'recovery.signal'), '');
    await this.restart();
    await eventually(async () => !(await this.isStandby()), 'promoted');
  }

  private async isStandby(): Promise<boolean> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
    await client.end();
    return rows[0]!.standby;
  }

  /** After a kill: the same port and data. Resolves when the log is replayed and it answers. */
  async restart(): Promise<void> {
    const { url } = this;
    this.server = await startEmbeddedPostgres(this.directory);
    if (this.url !== url) throw new Error('Postgres came back at another address');
  }

  async drop(): Promise<void> {
    await this.server.release();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Named like the server of a whole run: the next run stops and removes what a killed one left. */
function ownDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), `payonce-test-${process.pid}-own-`));
  chmodSync(directory, 0o711);
  return directory;
}
