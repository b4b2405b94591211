import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { entities } from '../src/entities.js';
import { migrations } from '../migrations/index.js';
import { SystemClock } from '../src/core/clock.js';
import { migrate, openDatabase } from '../src/database/database.js';
import { startEmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import { SystemIds } from '../src/core/ids.js';
import { merchantServices } from '../src/commands/merchant-services.js';
import { parentOf } from './cpu.js';
import { makeBenchTables, type PaymentTable } from './plain.js';

/** Where the bench keeps its data; nobody else works there. */
export const DIRECTORY = '.payonce/bench';

const SETTINGS = ['server_version', 'fsync', 'synchronous_commit', 'commit_delay', 'shared_buffers'] as const;

/** What was written to the tables so far. */
export interface Written {
  readonly inserts: number;
  readonly updates: number;
  /** Of the updates: those that wrote no index entry. */
  readonly hotUpdates: number;
  readonly deletes: number;
  readonly indexEntries: number;
}

/** A merchant, with a key of its own. */
export interface Furnished {
  readonly id: string;
  readonly apiKey: string;
}

/** A database of this run alone: on an embedded Postgres, or on the server of DATABASE_URL. */
export class OwnDatabase {
  private constructor(
    readonly url: string,
    /** As services connect; on a server of DATABASE_URL as its role. */
    readonly serviceUrl: string,
    readonly client: Client,
    /** The process whose children the backends are; null where it is not on this machine. */
    readonly postmaster: number | null,
    readonly settings: Readonly<Record<string, string>>,
    private readonly server: string | undefined,
    private readonly discard: () => Promise<void>,
  ) {}

  static async open(given: string | undefined): Promise<OwnDatabase> {
    const embedded = given ? null : await startEmbeddedPostgres(DIRECTORY);
    const server = given || embedded!.url;
    const name = `payonce_bench_${randomBytes(4).toString('hex')}`;
    await onServer(server, `CREATE DATABASE ${name}`);
    const urlOf = (of: string) => Object.assign(new URL(of), { pathname: `/${name}` });
    const url = urlOf(server);
    const serviceUrl = urlOf(embedded?.serviceUrl ?? server);
    const discard = async () => {
      await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      await embedded?.release();
    };
    const client = new Client({ connectionString: url.href });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const isHere = embedded !== null || /^(localhost|127\.|\[::1\]$)/.test(url.hostname);
    const postmaster = isHere ? parentOf(rows[0]!.pid) : null;
    const settings = await client.query<{ name: string; setting: string }>(
      'SELECT name, current_setting(name) AS setting FROM pg_settings WHERE name = ANY ($1)',
      [SETTINGS],
    );
    const byName = Object.fromEntries(settings.rows.map((row) => [row.name, row.setting]));
    return new OwnDatabase(url.href, serviceUrl.href, client, postmaster, byName, given, discard);
  }

  /**
   * One more on the same server, with the tables of the build in `checkout`: what a service does in the background
   * then counts for that service alone.
   */
  async openBeside(checkout: string): Promise<OwnDatabase> {
    const built = pathToFileURL(join(resolve(checkout), 'dist/bench/own-database.js')).href;
    const module = (await import(built)) as { OwnDatabase: typeof OwnDatabase };
    return module.OwnDatabase.open(this.server);
  }

  /** Makes the tables, and a merchant with a key for each name. */
  async furnish(names: readonly string[]): Promise<Map<string, Furnished>> {
    const options = { url: this.url, entities, migrations, poolSize: 2, applicationName: 'bench' };
    const database = await openDatabase(options);
    try {
      await migrate(database.dataSource, this.serviceUrl === this.url ? null : this.serviceUrl);
      await makeBenchTables(this.client);
      const clock = new SystemClock();
      const { merchants, apiKeys } = merchantServices(database.dataSource, clock, new SystemIds(clock));
      const made = new Map<string, Furnished>();
      for (const name of names) {
        const { id } = await merchants.create(name);
        const { key } = await apiKeys.create(id, ['payments:read', 'payments:write', 'events:read']);
        made.set(name, { id, apiKey: key });
      }
      return made;
    } finally {
      await database.close();
    }
  }

  async walBytes(): Promise<number> {
    const { rows } = await this.client.query<{ bytes: string }>(
      `SELECT pg_current_wal_insert_lsn() - '0/0' AS bytes`,
    );
    return Number(rows[0]!.bytes);
  }

  /** Rows written so far, and index entries at most: a partial index counts as one that takes every row. */
  async written(): Promise<Written> {
    // Backends tell the statistics once they are idle.
    await sleep(1_500);
    const { rows } = await this.client.query<Written>(
      `SELECT sum(n_tup_ins)::int AS inserts, sum(n_tup_upd)::int AS updates, sum(n_tup_hot_upd)::int AS "hotUpdates",
              sum(n_tup_del)::int AS deletes,
              sum((n_tup_ins + n_tup_upd - n_tup_hot_upd) *
                  (SELECT count(*) FROM pg_index WHERE indrelid = relid))::int AS "indexEntries"
         FROM pg_stat_user_tables WHERE schemaname = 'public'`,
    );
    return rows[0]!;
  }

  async capturedPayments(merchantId: string, table: PaymentTable): Promise<number> {
    const { rows } = await this.client.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE merchant_id = $1 AND status = 'captured'`,
      [merchantId],
    );
    return rows[0]!.n;
  }

  /** Rows of every table that a charge writes. */
  async rows(): Promise<Record<string, number>> {
    const tables = ['payments', 'idempotency_keys', 'psp_requests', 'psp_attempts', 'payment_transitions'];
    const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
    const { rows } = await this.client.query<Record<string, number>>(`SELECT ${counts.join(', ')}`);
    return rows[0]!;
  }

  async drop(): Promise<void> {
    await this.client.end();
    await this.discard();
  }
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
