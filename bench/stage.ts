import { fork } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child, type ChildOptions } from '../demo/child.js';
import { type LedgerReading } from '@payonce/simulator';
import { type BareSettings } from './bare.js';
import { type ChargeStatement, chargeStatements } from './charge-statements.js';
import { type Contender, HttpContender, Loader, type Meters, PgbenchContender } from './contenders.js';
import { type Options, type Variant } from './options.js';
import { DIRECTORY, type Furnished, OwnDatabase } from './own-database.js';
import { chargeScript, findPgbench, Pgbench } from './pgbench.js';
import { type PaymentTable, plainScript } from './plain.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_TIMEOUT_MS = 60_000;
/** Of a database that is gone with the run. */
const SEAL_KEY = Buffer.alloc(32, 7).toString('base64');
/** pgbench with the two plain statements: the limit. */
export const PLAIN = 'pgbench';
/** pgbench with the service's own statements: what they cost Postgres. */
const OWN = 'own SQL';
/** As many as the service's pool opens by default. */
const BARE_CONNECTIONS = 10;

/** A process that runs, and a key of the merchant that it serves. */
export interface Served {
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  stop(): Promise<void>;
  /** Without a chance to end what is in flight. */
  kill(): void;
}

/** Everything that is measured, and what measures it. */
export class Stage {
  readonly contenders: Contender[] = [];
  /** What could not be had, for people. */
  readonly missing: string[] = [];
  private readonly children = new Set<Child>();
  private readonly servers = new Map<string, { readonly url: string; readonly apiKey: string }>();
  private statements: readonly ChargeStatement[] = [];
  private loader: Loader | undefined;
  /** Of the services over the database of the stage. */
  private merchant: Furnished = { id: '', apiKey: '' };
  /** Of nobody who is measured: who sends too much. */
  greedy: Furnished = { id: '', apiKey: '' };
  private simulatorUrl = '';
  private counted = { effects: 0, references: 0 };
  private directory = '';
  private opened: OwnDatabase | undefined;
  /** Of the services beside. */
  private readonly besides: OwnDatabase[] = [];

  get database(): OwnDatabase {
    if (!this.opened) throw new Error('the stage is not open');
    return this.opened;
  }

  async open(options: Options): Promise<void> {
    mkdirSync(DIRECTORY, { recursive: true });
    const database = await OwnDatabase.open(process.env['DATABASE_URL']);
    this.opened = database;
    this.directory = mkdtempSync(join(resolve(DIRECTORY), 'run-'));
    const simulator = this.start('the simulator', 'packages/simulator/dist/main.js', {
      env: { SIMULATOR_PORTS: 'stripe=0,adyen=0,keyless=0,control=0', SIMULATOR_EXIT_WITH_PARENT: '1' },
    });
    const [line] = await simulator.says(/^\{"listening":.*\}$/m, START_TIMEOUT_MS);
    this.simulatorUrl = (JSON.parse(line) as { listening: { stripe: { url: string } } }).listening.stripe.url;
    this.loader = new Loader(fork(fileURLToPath(new URL('load.js', import.meta.url))));
    const meters = { database, simulator: simulator.pid };
    const merchants = await database.furnish(['service', 'bare', 'prototype', PLAIN, OWN, 'greedy']);
    this.merchant = merchants.get('service')!;
    this.greedy = merchants.get('greedy')!;
    if (options.processes || options.background || options.tenants) return;
    this.statements = await chargeStatements(merchants.get(OWN)!.id);
    if (!options.onlyServices) {
      await this.addPgbench(merchants.get(PLAIN)!.id, merchants.get(OWN)!.id, meters);
      await this.addBare('bare', 'bench_payments', merchants.get('bare')!, meters);
      await this.addBare('prototype', 'bench_prototype_payments', merchants.get('prototype')!, meters);
    }
    await this.addService('service', { checkout: ROOT, env: {} }, this.merchant, meters, options.profile);
    for (const [n, variant] of options.beside.entries()) {
      const name = `beside ${n + 1}`;
      const own = await database.openBeside(variant.checkout);
      this.besides.push(own);
      const furnished = await own.furnish([name]);
      await this.addService(name, variant, furnished.get(name)!, { ...meters, database: own });
    }
  }

  /** Where a service is reached, and a key of its merchant. */
  reached(name: string): { readonly url: string; readonly apiKey: string } {
    return this.servers.get(name)!;
  }

  /** Of the commits of a charge together. */
  get parameters(): number {
    return this.statements.reduce((sum, { parameters }) => sum + parameters.length, 0);
  }

  /** The effects that the PSP's ledger has held, and of how many payments. */
  async effects(): Promise<{ effects: number; references: number }> {
    const answer = await fetch(`${this.simulatorUrl}/_ledger`);
    const { effects } = (await answer.json()) as LedgerReading;
    const references = new Set(effects.map(({ reference }) => reference)).size;
    return {
      effects: this.counted.effects + effects.length,
      references: this.counted.references + references,
    };
  }

  /** Counts the effects and empties the simulator, which holds half a million payments. No two runs share a reference. */
  async emptySimulator(): Promise<void> {
    this.counted = await this.effects();
    await fetch(`${this.simulatorUrl}/_reset`, { method: 'POST' });
  }

  /** Asks the services to stop, which writes what they have still to write. */
  async stopChildren(): Promise<void> {
    this.loader?.stop();
    await Promise.all([...this.children].map((child) => child.stop()));
  }

  async close(): Promise<void> {
    await this.stopChildren();
    for (const database of this.besides) await database.drop();
    await this.opened?.drop();
    if (this.directory) rmSync(this.directory, { recursive: true, force: true });
  }

  private async addPgbench(plainMerchant: string, ownMerchant: string, meters: Meters): Promise<void> {
    const program = findPgbench();
    if (program === null) {
      this.missing.push(
        'pgbench is not installed, so the bare service is all that the service is compared with',
      );
      return;
    }
    const own = chargeScript(this.statements);
    const runs = [
      [PLAIN, plainMerchant, 'bench_payments', plainScript(plainMerchant)],
      [OWN, ownMerchant, 'payments', own],
    ] as const;
    for (const [name, merchantId, table, script] of runs) {
      const pgbench = new Pgbench(program, this.database.url, this.directory, script);
      this.contenders.push(new PgbenchContender(name, merchantId, table, pgbench, meters));
    }
  }

  /** Makes the PSP take so long to answer each call; 0: as fast as it can. */
  async slowPsp(ms: number): Promise<void> {
    const url = `${this.simulatorUrl}/_faults`;
    await fetch(url, { method: 'DELETE' });
    if (ms === 0) return;
    const fault = { fault: 'delay_before', rate: 1, on: 'any', delay_ms: ms };
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(fault) });
    if (!answer.ok) throw new Error(`the simulator refused to be slow: ${await answer.text()}`);
  }

  private async addBare(
    name: string,
    table: PaymentTable,
    merchant: Furnished,
    meters: Meters,
  ): Promise<void> {
    const settings: BareSettings = {
      databaseUrl: this.database.url,
      stripeUrl: this.simulatorUrl,
      merchantId: merchant.id,
      connections: BARE_CONNECTIONS,
      shares: table !== 'bench_payments',
    };
    const bare = this.start(`the ${name} service`, 'dist/bench/bare.js', {
      preload: 'dist/demo/exit-with-parent.js',
      env: { BENCH_BARE: JSON.stringify(settings) },
    });
    const [, url = ''] = await bare.says(/"listening":"(http[^"]+)"/, START_TIMEOUT_MS);
    const server = { url, pid: bare.pid, apiKey: merchant.apiKey };
    this.contenders.push(new HttpContender(name, merchant.id, table, server, this.loader!, meters));
  }

  private async addService(
    name: string,
    variant: Variant,
    { id, apiKey }: Furnished,
    meters: Meters,
    profile: string | null = null,
  ): Promise<void> {
    const { url, pid } = await this.startService(name, variant, meters.database.serviceUrl, profile);
    const reached = { url, pid, apiKey };
    this.servers.set(name, reached);
    this.contenders.push(new HttpContender(name, id, 'payments', reached, this.loader!, meters));
  }

  private async startService(
    name: string,
    { checkout, env }: Variant,
    databaseUrl: string,
    profile: string | null = null,
  ): Promise<Served> {
    const pspsFile = join(this.directory, 'psps.json');
    writeFileSync(pspsFile, JSON.stringify(pspsFileOf(this.simulatorUrl)));
    if (profile) mkdirSync(profile, { recursive: true });
    const port = await freePort();
    const log = openSync(join(this.directory, `${port}.log`), 'w');
    const service = this.start(
      `the ${name}`,
      join(relative(ROOT, resolve(checkout)) || '.', 'dist/src', entryOf(checkout)),
      {
        log,
        preload: profile ? 'dist/bench/profiled.js' : 'dist/demo/exit-with-parent.js',
        env: {
          DATABASE_URL: databaseUrl,
          PAYONCE_SEAL_KEY: SEAL_KEY,
          PORT: String(port),
          GRPC_PORT: String(await freePort()),
          PAYONCE_PSPS_FILE: pspsFile,
          PAYONCE_DATA_DIR: this.directory,
          // They are run by the owner of the tables, and the service is not.
          PAYONCE_MIGRATE: 'off',
          ...ratesOf(checkout),
          NODE_OPTIONS: flagsOf(checkout),
          ...(profile ? { BENCH_PROFILE: join(profile, 'service.cpuprofile') } : {}),
          ...env,
        },
      },
    );
    closeSync(log);
    const url = `http://127.0.0.1:${port}`;
    const ended = service.end().then(() => 'ended' as const);
    const ready = await Promise.race([isReady(`${url}/health/ready`), ended]);
    if (ready === 'ended') await service.says(/never/, 1); // throws, with what it said last
    return {
      url,
      pid: service.pid,
      apiKey: this.merchant.apiKey,
      stop: () => service.stop(),
      kill: () => service.kill(),
    };
  }

  /** One more process of this build over the database of the stage. Stopped by the caller. */
  serve(name: string, env: Variant['env']): Promise<Served> {
    return this.startService(name, { checkout: ROOT, env }, this.database.serviceUrl);
  }

  private start(name: string, entry: string, options: ChildOptions): Child {
    const child = new Child(name, entry, options);
    this.children.add(child);
    return child;
  }
}

/** The service writes its log to a file, so it is told where to listen. */
function freePort(): Promise<number> {
  return new Promise((settle, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => settle(port));
    });
  });
}

async function isReady(url: string): Promise<void> {
  for (const lastMs = Date.now() + START_TIMEOUT_MS; Date.now() < lastMs; await sleep(50)) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
  }
  throw new Error(`${url} does not answer`);
}

function pspsFileOf(stripeUrl: string): object {
  const credentials = { secretKey: 'sk_test_bench' };
  return { psps: [{ name: 'stripe', adapter: 'stripe', baseUrl: stripeUrl, credentials }] };
}

/** What its start script gives to node. */
function flagsOf(checkout: string): string {
  const { scripts } = JSON.parse(readFileSync(join(resolve(checkout), 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return (scripts.start.match(/--[a-z0-9-]+=\S+/g) ?? []).join(' ');
}

/** One shop sends what many send in life. Checkouts that are older than rate limits refuse the variables. */
function ratesOf(checkout: string): Record<string, string> {
  if (!existsSync(join(resolve(checkout), 'src/http/leased-buckets.ts'))) return {};
  return { PAYONCE_KEY_RATE: '1000000', PAYONCE_MERCHANT_RATE: '1000000' };
}

/** Checkouts that are older than the packed service have its main.js alone. */
function entryOf(checkout: string): string {
  return existsSync(join(resolve(checkout), 'dist/src/main.cjs')) ? 'main.cjs' : 'main.js';
}
