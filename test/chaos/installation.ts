import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Simulator, startSimulator } from '@payonce/simulator';
import { Pool, type QueryResultRow } from 'pg';
import { accountAt } from '../../demo/accounts.js';
import { Child } from '../../demo/child.js';
import { brokenRules } from '../simulation/broken-rules.js';
import { eventually } from '../support/eventually.js';
import { leaksInTables } from '../support/leaks.js';
import { PostgresServer } from '../support/postgres-server.js';
import {
  notificationSecrets,
  notifiedAt,
  type PspName,
  pspNames,
  routingRules,
  sealKey,
} from '../support/psp-accounts.js';
import { travelSql } from '../support/travel.js';
import { Cluster } from './cluster.js';
import { DatabaseWatch } from './database-watch.js';
import { Link } from './link.js';
import { quietPort } from './quiet-port.js';
import { type LostCommits } from './operator.js';
import { RedisPair } from './redis-pair.js';
import { ServiceProcess } from './service-process.js';
import { SmallDisk } from './small-disk.js';

/** The longest that one call of a PSP may take, and a request holds its key: as in life, in a tenth of the time. */
export const PSP_TIMEOUT_MS = 1_000;
export const LOCK_TTL_MS = 2_500;
const DEADLINE_MS = 5_000;
const COMMAND_TIMEOUT_MS = 120_000;
const CONTROL_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** The search for secrets reads every table. */
const QUERY_TIMEOUT_MS = 120_000;

export interface InstallationOptions {
  readonly random: () => number;
  /** A rule that the service breaks, see broken-rules.ts; null as it is. */
  readonly broken: string | null;
  /** The folder of the logs. */
  readonly logs: string;
  /** The queues are in Redis. */
  readonly withRedis: boolean;
  /** Postgres is a cluster of three nodes, whose standby is so; one server where it is undefined. */
  readonly standby?: Standby | undefined;
  /** The built checkout of another version, which runs beside this one. */
  readonly beside?: string | undefined;
}

export type Standby = 'synchronous' | 'asynchronous';

/** A real service of two APIs and two workers, with all that it talks to, and a proxy on every way between them. */
export class Installation {
  /** What could not be had here, for people. */
  readonly missing: string[] = [];
  /** What was seen while faults were played, and must not be. */
  readonly witnessed: string[] = [];
  /** What operators found after standbys that need not have every commit were promoted. */
  readonly lost: LostCommits[] = [];
  private owner: Pool;
  /** How much later it is for this installation than for the machine. */
  clockOffsetMs = 0;
  private closed: Promise<void> | undefined;

  private constructor(
    readonly directory: string,
    readonly simulator: Simulator,
    readonly postgres: PostgresServer | Cluster,
    /** Where Postgres has a file system of its own. */
    readonly disk: SmallDisk | null,
    readonly links: {
      readonly database: Link;
      readonly clients: Link;
      readonly notifications: Link;
      readonly psps: Readonly<Record<PspName, Link>>;
    },
    readonly processes: {
      readonly apis: readonly ServiceProcess[];
      readonly workers: readonly ServiceProcess[];
    },
    /** Where the queues are; else in Postgres. */
    readonly redis: RedisPair | null,
    private readonly env: Readonly<Record<string, string>>,
    private readonly logs: string,
    readonly databaseWatch: DatabaseWatch,
  ) {
    this.owner = this.poolOfOwner();
    if (!disk && postgres instanceof PostgresServer)
      this.missing.push('a file system of its own for Postgres (needs root): its disk is never full');
  }

  static async open({
    random,
    broken,
    logs,
    withRedis,
    standby,
    beside,
  }: InstallationOptions): Promise<Installation> {
    const directory = mkdtempSync(join(tmpdir(), 'payonce-chaos-'));
    // Postgres, which does not run as root, keeps its data there only where it can enter.
    chmodSync(directory, 0o711);
    mkdirSync(logs, { recursive: true });
    const disk = standby ? null : SmallDisk.mount(join(directory, 'disk'));
    const [simulator, postgres] = await Promise.all([
      startSimulator(),
      standby
        ? Cluster.start({ directory, logs, random, isSynchronous: standby === 'synchronous' })
        : PostgresServer.start(disk?.folder('server')),
    ]);
    const apiPorts = [await quietPort(random), await quietPort(random)];
    let turn = 0;
    const anApi = () => apiPorts[(turn += 1) % apiPorts.length]!;
    const databaseWatch = new DatabaseWatch();
    const linkTo = (target: () => number) => Link.open(target, random);
    const portOf = (url: string) => Number(new URL(url).port);
    const psps = Object.fromEntries(
      await Promise.all(
        pspNames.map(async (psp) => [psp, await linkTo(() => portOf(simulator.urls[psp]))] as const),
      ),
    ) as Record<PspName, Link>;
    const links = {
      database: await Link.open(() => portOf(postgres.url), random, databaseWatch),
      clients: await linkTo(anApi),
      notifications: await linkTo(anApi),
      psps,
    };
    const redis = withRedis ? await RedisPair.start(random) : null;
    const pspsFile = join(directory, 'psps.json');
    writeFileSync(pspsFile, JSON.stringify(configuredPsps(psps)));
    const through = Object.assign(new URL(postgres.serviceUrl), { port: String(links.database.port) });
    const env = {
      GRPC_PORT: 'off',
      DATABASE_URL: through.href,
      PAYONCE_SIMULATOR: 'external',
      PAYONCE_PSPS_FILE: pspsFile,
      PAYONCE_DATA_DIR: directory,
      PAYONCE_SEAL_KEY: sealKey,
      PAYONCE_LOCK_TTL_MS: String(LOCK_TTL_MS),
      PAYONCE_DEADLINE_MS: String(DEADLINE_MS),
      PAYONCE_SHUTDOWN_GRACE_MS: '2000',
      PAYONCE_DB_POOL: '6',
      PAYONCE_COMMIT_LANES: '2',
      // One shop sends here what in life many send.
      PAYONCE_KEY_RATE: '0',
      PAYONCE_MERCHANT_RATE: '0',
      ...(redis ? { REDIS_URL: redis.url } : {}),
      ...(standby ? { PAYONCE_STANDBY: standby } : {}),
    };
    // One file is started as ever; where a rule is broken, those that it was packed from.
    const entry = broken === null ? 'dist/src/main.cjs' : 'dist/src/main.js';
    const breakRule = `--import ${new URL('../simulation/break-rule.js', import.meta.url).href}`;
    const breaks: Record<string, string> =
      broken === null ? {} : { BROKEN_RULE: broken, NODE_OPTIONS: breakRule };
    const other = beside === undefined ? entry : resolve(beside, entry);
    // One of two begins with the other version, and each start of a process is of the version that its last was not.
    const processOf = (name: string, role: string, port: number, n: number) =>
      new ServiceProcess(name, port, n % 2 === 0 ? [entry, other] : [other, entry], logs, {
        ...env,
        ...breaks,
        PAYONCE_ROLE: role,
      });
    const workerPorts = [await quietPort(random), await quietPort(random)];
    const processes = {
      apis: apiPorts.map((port, n) => processOf(`api-${n + 1}`, 'api', port, n)),
      workers: workerPorts.map((port, n) => processOf(`worker-${n + 1}`, 'worker', port, n)),
    };
    const installation = new Installation(
      directory,
      simulator,
      postgres,
      disk,
      links,
      processes,
      redis,
      env,
      logs,
      databaseWatch,
    );
    const unguarded = brokenRules.find(({ rule }) => rule === broken)?.unguarded;
    if (unguarded) await installation.sql(unguarded);
    for (const psp of pspNames) await installation.notify(psp);
    return installation;
  }

  get everyProcess(): readonly ServiceProcess[] {
    return [...this.processes.apis, ...this.processes.workers];
  }

  async startProcesses(): Promise<void> {
    await Promise.all(this.everyProcess.map((each) => each.keepUp()));
  }

  async stopProcesses(): Promise<void> {
    await Promise.all(this.everyProcess.map((each) => each.stop()));
  }

  /** What a PSP does is told by notifications to any of the APIs. */
  async notify(psp: PspName, mode = 'once'): Promise<void> {
    const signal = AbortSignal.timeout(CONTROL_TIMEOUT_MS);
    await fetch(`${this.simulator.urls.control}/${psp}/_webhooks`, { method: 'DELETE', signal });
    const url = `http://127.0.0.1:${this.links.notifications.port}/v1/webhooks/${psp}`;
    const secret = notificationSecrets[psp];
    this.simulator.webhook(psp, { url, known_as: notifiedAt(psp), secret, mode, tries: 20 });
  }

  /** As the owner of the tables, on a way of its own that no fault touches. */
  async sql<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.owner.query<Row>(text, [...values])).rows;
  }

  /** `payonce …` as operators of this installation run it. Returns what it prints as JSON. */
  async payonce(...args: readonly string[]): Promise<unknown> {
    const env = { ...this.env, DATABASE_URL: this.postgres.serviceUrl };
    const name = `payonce ${args.slice(0, 2).join(' ')}`;
    return new Child(name, 'bin/payonce.mjs', { args: [...args, '--json'], env }).result(COMMAND_TIMEOUT_MS);
  }

  /** Posts what is committed now. */
  async postLedger(): Promise<void> {
    const [now] = await this.sql<{ end: string }>(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS end',
    );
    await eventually(async () => {
      await this.payonce('ledger', 'balances');
      const read = await this.sql('SELECT FROM ledger_position WHERE read_below >= $1::xid8', [now!.end]);
      return read.length > 0;
    }, 'the ledger has read what is committed');
  }

  /** Holds the report of a PSP, of all that it did, against the ledger. */
  async reconcile(psp: 'stripe' | 'adyen'): Promise<unknown> {
    const file = join(this.directory, `${psp}.csv`);
    writeFileSync(file, this.simulator.report(psp));
    const day = (ms: number) => new Date(Date.now() + ms).toISOString();
    const from = day(-24 * 3_600_000);
    const until = day(this.clockOffsetMs + 3_600_000);
    return this.payonce('reconcile', 'run', '--psp', psp, '--file', file, '--from', from, '--to', until);
  }

  /** Secrets that stand in a log or in a table. Must be none. */
  async leaks(given: readonly string[]): Promise<string[]> {
    const all = [...given, ...Object.values(notificationSecrets), sealKey];
    const logs = readdirSync(this.logs).map((name) => readFileSync(join(this.logs, name), 'utf8'));
    const inLogs = all.filter((secret) => logs.some((log) => log.includes(secret)));
    const inTables = await leaksInTables((text, values) => this.sql(text, values), all);
    return [...inLogs.map((secret) => `a log: ${secret}`), ...inTables];
  }

  /** A key of a merchant of its own. */
  async apiKey(): Promise<string> {
    const { id } = (await this.payonce('merchants', 'create', '--name', 'Chaos shop')) as { id: string };
    const scopes = 'payments:read,payments:write,payouts:write';
    const made = await this.payonce('api-keys', 'create', '--merchant', id, '--scopes', scopes);
    return (made as { key: string }).key;
  }

  /** Lets time pass for the PSPs, the database, and every process that is started from now on. */
  async travel(ms: number): Promise<void> {
    this.clockOffsetMs += ms;
    this.simulator.advance(ms);
    const database = new URL(this.postgres.url).pathname.slice(1);
    for (const statement of travelSql(database, this.clockOffsetMs)) await this.sql(statement);
    await this.owner.end();
    this.owner = this.poolOfOwner();
  }

  /** Ends everything, and leaves nothing behind. May be called again. */
  close(): Promise<void> {
    return (this.closed ??= this.end());
  }

  private async end(): Promise<void> {
    await Promise.all(this.everyProcess.map((each) => each.kill()));
    const { database, clients, notifications, psps } = this.links;
    for (const link of [database, clients, notifications, ...Object.values(psps)]) link.close();
    await this.redis?.stop();
    await this.owner.end();
    await Promise.all([this.simulator.close(), this.postgres.drop()]);
    this.disk?.unmount();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private poolOfOwner(): Pool {
    // What is written here is written while the database takes nothing from others.
    const options = '-c default_transaction_read_only=off';
    const pool = new Pool({
      connectionString: this.postgres.url,
      options,
      max: 4,
      application_name: 'payonce-chaos',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    return pool.on('error', () => {});
  }
}

function configuredPsps(links: Readonly<Record<PspName, Link>>): object {
  return {
    psps: pspNames.map((psp) => {
      const url = `http://127.0.0.1:${links[psp].port}`;
      return accountAt(psp, url, PSP_TIMEOUT_MS, { secret: notificationSecrets[psp], at: notifiedAt(psp) });
    }),
    routing: routingRules(),
  };
}
