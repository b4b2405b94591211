import { fork } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child, type ChildOptions } from '../demo/child.js';
import { type LedgerReading } from '@payonce/simulator';
import { type BareSettings } from './bare.js';
import { chargeStatements } from './charge-statements.js';
import { type Contender, HttpContender, Loader, PgbenchContender, type Processes } from './contenders.js';
import { type Options, type Variant } from './options.js';
import { DIRECTORY, OwnDatabase } from './own-database.js';
import { findPgbench, Pgbench } from './pgbench.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const START_TIMEOUT_MS = 60_000;
/** Of a database that is gone with the run. */
const SEAL_KEY = Buffer.alloc(32, 7).toString('base64');
/** As many as the service's pool opens by default. */
const BARE_CONNECTIONS = 10;

/** Everything that is measured, and what measures it. */
export class Stage {
  readonly contenders: Contender[] = [];
  /** What could not be had, for people. */
  readonly missing: string[] = [];
  private readonly children = new Set<Child>();
  private loader: Loader | undefined;
  private simulatorUrl = '';
  private directory = '';
  private opened: OwnDatabase | undefined;

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
    const processes = { postmaster: database.postmaster, simulator: simulator.pid };

    const services: [string, Variant][] = [
      ['service', { checkout: ROOT, env: {} }],
      ...options.beside.map((variant, n): [string, Variant] => [`beside ${n + 1}`, variant]),
    ];
    const names = [...services.map(([name]) => name), 'bare', 'pgbench'];
    const merchants = await database.furnish(names);
    if (!options.onlyServices) {
      await this.addPgbench(merchants.get('pgbench')!.id, processes);
      await this.addBare(merchants.get('bare')!, processes);
    }
    for (const [name, variant] of services) {
      const profile = name === 'service' ? options.profile : null;
      const { id, apiKey } = merchants.get(name)!;
      const server = await this.startService(name, variant, profile);
      this.contenders.push(new HttpContender(name, id, { ...server, apiKey }, this.loader, processes));
    }
  }

  /** The effects that the PSP's ledger holds, and of how many payments. */
  async effects(): Promise<{ effects: number; references: number }> {
    const answer = await fetch(`${this.simulatorUrl}/_ledger`);
    const { effects } = (await answer.json()) as LedgerReading;
    return { effects: effects.length, references: new Set(effects.map(({ reference }) => reference)).size };
  }

  /** Asks the services to stop, which writes what they have still to write. */
  async stopChildren(): Promise<void> {
    this.loader?.stop();
    await Promise.all([...this.children].map((child) => child.stop()));
  }

  async close(): Promise<void> {
    await this.stopChildren();
    await this.opened?.drop();
    if (this.directory) rmSync(this.directory, { recursive: true, force: true });
  }

  private async addPgbench(merchantId: string, processes: Processes): Promise<void> {
    const program = findPgbench();
    if (program === null) {
      this.missing.push('pgbench is not installed, so there is nothing to hold the service against but bare');
      return;
    }
    const statements = await chargeStatements(merchantId);
    const pgbench = new Pgbench(program, this.database.url, this.directory, statements);
    this.contenders.push(new PgbenchContender(merchantId, pgbench, processes));
  }

  private async addBare(merchant: { id: string; apiKey: string }, processes: Processes): Promise<void> {
    const settings: BareSettings = {
      databaseUrl: this.database.url,
      stripeUrl: this.simulatorUrl,
      merchantId: merchant.id,
      connections: BARE_CONNECTIONS,
    };
    const bare = this.start('the bare server', 'dist/bench/bare.js', {
      preload: 'dist/demo/exit-with-parent.js',
      env: { BENCH_BARE: JSON.stringify(settings) },
    });
    const [, url = ''] = await bare.says(/"listening":"(http[^"]+)"/, START_TIMEOUT_MS);
    const server = { url, pid: bare.pid, apiKey: merchant.apiKey };
    this.contenders.push(new HttpContender('bare', merchant.id, server, this.loader!, processes));
  }

  private async startService(
    name: string,
    { checkout, env }: Variant,
    profile: string | null,
  ): Promise<{ url: string; pid: number }> {
    const pspsFile = join(this.directory, 'psps.json');
    writeFileSync(pspsFile, JSON.stringify(pspsFileOf(this.simulatorUrl)));
    if (profile) mkdirSync(profile, { recursive: true });
    const port = await freePort();
    const service = this.start(
      `the ${name}`,
      join(relative(ROOT, resolve(checkout)) || '.', 'dist/src', entryOf(checkout)),
      {
        preload: profile ? 'dist/bench/profiled.js' : 'dist/demo/exit-with-parent.js',
        env: {
          DATABASE_URL: this.database.url,
          PAYONCE_SEAL_KEY: SEAL_KEY,
          PORT: String(port),
          PAYONCE_PSPS_FILE: pspsFile,
          PAYONCE_DATA_DIR: this.directory,
          PAYONCE_LOG_LEVEL: 'warn',
          ...(profile ? { BENCH_PROFILE: join(profile, 'service.cpuprofile') } : {}),
          ...env,
        },
      },
    );
    const url = `http://127.0.0.1:${port}`;
    const ended = service.end().then(() => 'ended' as const);
    const ready = await Promise.race([isReady(`${url}/health/ready`), ended]);
    if (ready === 'ended') await service.says(/never/, 1); // throws, with what it said last
    return { url, pid: service.pid };
  }

  private start(name: string, entry: string, options: ChildOptions): Child {
    const child = new Child(name, entry, options);
    this.children.add(child);
    return child;
  }
}

/** At the level of warnings a service does not say where it listens, so it is told. */
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

/** Checkouts that are older than the packed service have its main.js alone. */
function entryOf(checkout: string): string {
  return existsSync(join(resolve(checkout), 'dist/src/main.cjs')) ? 'main.cjs' : 'main.js';
}
