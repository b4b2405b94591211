import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child, type ChildOptions } from './child.js';
import { type PortName, type PspName, pspNames, samples } from '@payonce/simulator';
import { accountAt } from './accounts.js';
import { type OwnDatabase, ownDatabase } from './own-database.js';
import { notificationSecrets, type Psp, Psps } from './psps.js';
import { Shop } from './shop.js';

/** The longest that Payonce waits for one answer of a PSP. */
export const PSP_TIMEOUT_MS = 1_000;
/**
 * How long a request holds its payment. A crashed one is taken up by the next after this time, so
 * it must outlive the slowest call: the service itself refuses anything shorter.
 */
export const LOCK_MS = 2_000;

const START_TIMEOUT_MS = 60_000;

/** What a report came to. */
export interface Reconciled {
  readonly matched: number;
  readonly unmatched: number;
  readonly breaks: readonly {
    readonly category: string;
    readonly open: number;
    readonly difference: number;
  }[];
}

/** Everything that plays: a database, the PSPs, the service, and a shop that has a key to it. */
export class Stage {
  private readonly children = new Set<Child>();
  private database: OwnDatabase | undefined;
  private service: Child | undefined;
  private serviceUrl = '';
  private pspsFile = '';
  private cast: { readonly psps: Psps; readonly shop: Shop } | undefined;
  private closing = false;

  get psps(): Psps {
    return this.opened().psps;
  }

  get shop(): Shop {
    return this.opened().shop;
  }

  get servicePid(): number {
    return this.service?.pid ?? 0;
  }

  /** Where the service is reached. */
  get serviceAddress(): string {
    return this.serviceUrl;
  }

  get databaseIs(): string {
    return this.database?.what ?? 'no database';
  }

  /** Starts everything; `psps`: with PSPs that run already, at these addresses. */
  async open(psps?: Awaited<ReturnType<Stage['startSimulator']>>): Promise<void> {
    this.database = await ownDatabase(process.env['DATABASE_URL']);
    const { control = '', ...addresses } = psps ?? (await this.startSimulator());
    this.pspsFile = join(this.database.directory, 'psps.json');
    writeFileSync(this.pspsFile, JSON.stringify(pspsFile(addresses)));

    const [apiKey] = await Promise.all([this.apiKey(), this.startService()]);
    this.cast = { psps: new Psps(control), shop: new Shop(() => this.serviceUrl, apiKey) };
  }

  private async startSimulator(): Promise<Partial<Readonly<Record<PortName, string>>>> {
    const simulator = this.start('The simulator', 'packages/simulator/dist/main.js', {
      env: { SIMULATOR_PORTS: 'stripe=0,adyen=0,keyless=0,control=0', SIMULATOR_EXIT_WITH_PARENT: '1' },
    });
    const [line] = await simulator.says(/^\{"listening":.*\}$/m, START_TIMEOUT_MS);
    const { listening } = JSON.parse(line) as { listening: Record<string, { url: string }> };
    const urlOf = (name: string) => listening[name]?.url ?? '';
    return { stripe: urlOf('stripe'), adyen: urlOf('adyen'), control: urlOf('control') };
  }

  async startService(): Promise<void> {
    const service = this.start('The service', 'dist/src/main.cjs', {
      preload: 'dist/demo/exit-with-parent.js',
      env: {
        ...this.database?.env,
        PORT: '0',
        GRPC_PORT: 'off',
        PAYONCE_PSPS_FILE: this.pspsFile,
        PAYONCE_LOCK_TTL_MS: String(LOCK_MS),
        PAYONCE_SHUTDOWN_GRACE_MS: '1000',
        // The shop's endpoint is on this machine.
        PAYONCE_WEBHOOK_TARGETS: 'any',
      },
    });
    this.service = service;
    const [, url = ''] = await service.says(/"listening":"(http[^"]+)"/, START_TIMEOUT_MS);
    this.serviceUrl = url;
  }

  /** Resolves when the service has ended, whatever ended it. */
  async serviceEnded(): Promise<void> {
    await this.service?.end();
  }

  /** Imports the report of a PSP, as those who keep the books would. */
  async reconcile(psp: Psp, plant?: string): Promise<Reconciled> {
    const file = join(this.database!.directory, `${psp}-report.csv`);
    writeFileSync(file, await this.psps.report(psp, plant));
    return (await this.payonce('reconcile', 'run', '--psp', psp, '--file', file)) as Reconciled;
  }

  /** A link that signs in to the console once. */
  async consoleLink(): Promise<string> {
    const made = await this.payonce('operators', 'first-link', '--url', this.serviceUrl);
    return (made as { link: string }).link;
  }

  /** Ends whatever runs, and leaves nothing behind. */
  async close(): Promise<void> {
    this.closing = true;
    await Promise.all([...this.children].map((child) => child.stop()));
    await this.database?.drop();
  }

  /** Ends whatever runs, now. */
  kill(): void {
    for (const child of this.children) child.kill();
  }

  /** A merchant and a key, made as an operator would make them. */
  private async apiKey(): Promise<string> {
    await this.payonce('migrate');
    const { id } = (await this.payonce('merchants', 'create', '--name', 'Demo shop')) as { id: string };
    const scopes = 'payments:read,payments:write,webhooks:write';
    const made = await this.payonce('api-keys', 'create', '--merchant', id, '--scopes', scopes);
    return (made as { key: string }).key;
  }

  private payonce(...args: readonly string[]): Promise<unknown> {
    const name = `payonce ${args.slice(0, 2).join(' ')}`;
    const env = { ...this.database?.env, PAYONCE_PSPS_FILE: this.pspsFile };
    return this.start(name, 'bin/payonce.mjs', { args: [...args, '--json'], env }).result(START_TIMEOUT_MS);
  }

  private start(name: string, entry: string, options: ChildOptions): Child {
    if (this.closing) throw new Error('The demo is ending.');
    const child = new Child(name, entry, options);
    this.children.add(child);
    void child.end().then(() => this.children.delete(child));
    return child;
  }

  private opened(): { readonly psps: Psps; readonly shop: Shop } {
    if (!this.cast) throw new Error('The stage is not open.');
    return this.cast;
  }
}

/** Each PSP is asked first for a currency of its own, and EUR and USD as the demo has them. */
function pspsFile(urls: Partial<Readonly<Record<PspName, string>>>): object {
  const there = pspNames.filter((psp) => urls[psp] !== undefined);
  const others = ['stripe', 'adyen'] as const;
  return {
    psps: there.map((psp) => {
      const secret = psp === 'stripe' || psp === 'adyen' ? notificationSecrets[psp] : undefined;
      const notified = secret === undefined ? undefined : { secret, at: '' };
      return accountAt(psp, urls[psp]!, PSP_TIMEOUT_MS, notified);
    }),
    routing: [
      ...there.toSorted(methodsFirst).map((psp) => ({
        when: conditionOf(psp),
        order: [psp, ...others.filter((other) => other !== psp)],
      })),
      { order: others },
    ],
  };
}

function conditionOf(psp: PspName): object {
  const { currency, method } = samples[psp];
  return method === undefined ? { currency: [currency] } : { method: [method] };
}

function methodsFirst(one: PspName, other: PspName): number {
  return Number(samples[one].method === undefined) - Number(samples[other].method === undefined);
}
