import { type ChildProcess } from 'node:child_process';
import { cpuMsOf, cpuMsOfEndedChildren, cpuMsOfFamily } from './cpu.js';
import { type LoadOrder, type LoadReport } from './load.js';
import { type CpuMs, measured, type Sample, type Window } from './measure.js';
import { type OwnDatabase } from './own-database.js';
import { type Load } from './options.js';
import { type Pgbench } from './pgbench.js';
import { type PaymentTable } from './plain.js';

/** A contender that can make payments, so many at once. */
export interface Contender {
  readonly name: string;
  /** Of its payments in `table`. */
  readonly merchantId: string;
  readonly table: PaymentTable;
  readonly database: OwnDatabase;
  /** Whether it can be measured at this load. */
  takes(load: Load): boolean;
  run(inFlight: number, window: Window): Promise<Sample>;
  /** Payments that it says it has made, and whether PSPs were asked for them. */
  readonly made: number;
  readonly asksPsp: boolean;
}

/** Where usage is read. */
export interface Meters {
  readonly database: OwnDatabase;
  readonly simulator: number;
}

/** `application`: the name of the connections by which it writes payments before they are answered. */
async function usageOf(database: OwnDatabase, application: string, cpuMs: CpuMs) {
  const { postmaster } = database;
  const postgres = postmaster && cpuMsOfFamily(postmaster);
  const commits = postmaster && (await commitCpuMs(database, application));
  return { cpuMs: { ...cpuMs, postgres, commits }, walBytes: await database.walBytes() };
}

async function commitCpuMs({ client }: OwnDatabase, application: string): Promise<number> {
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1',
    [application],
  );
  return rows.reduce((sum, { pid }) => sum + (cpuMsOf(pid) ?? 0), 0);
}

/** The load generator, in its own process. One order at a time. */
export class Loader {
  private settle: ((message: { report?: LoadReport; error?: string }) => void) | null = null;

  constructor(private readonly child: ChildProcess) {
    child.on('message', (message) => this.settle?.(message as { report?: LoadReport; error?: string }));
    child.on('exit', () => this.settle?.({ error: 'it has ended' }));
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async load(order: LoadOrder): Promise<LoadReport> {
    const { report, error } = await new Promise<{ report?: LoadReport; error?: string }>((settle) => {
      this.settle = settle;
      this.child.send(order);
    });
    if (!report) throw new Error(`the load generator: ${error}`);
    return report;
  }

  stop(): void {
    this.child.kill();
  }
}

/** Whatever answers POST /v1/payments. */
export class HttpContender implements Contender {
  readonly asksPsp = true;
  made = 0;
  private runs = 0;

  constructor(
    readonly name: string,
    readonly merchantId: string,
    readonly table: PaymentTable,
    private readonly server: { readonly url: string; readonly pid: number; readonly apiKey: string },
    private readonly loader: Loader,
    private readonly meters: Meters,
  ) {}

  get database(): OwnDatabase {
    return this.meters.database;
  }

  takes(): boolean {
    return true;
  }

  async run(inFlight: number, window: Window): Promise<Sample> {
    const { url, apiKey, pid } = this.server;
    const name = `${this.name}-${++this.runs}`;
    const { database, simulator } = this.meters;
    const readUsage = () =>
      usageOf(database, this.table === 'payments' ? 'payonce-commit' : `bench-${this.name}`, {
        service: cpuMsOf(pid),
        simulator: cpuMsOf(simulator),
        load: cpuMsOf(this.loader.pid),
      });
    const order = { url, apiKey, name, inFlight, ...window };
    const { report, ...sample } = await measured(window, readUsage, this.loader.load(order));
    if (report.complaint) throw new Error(`${this.name} answered ${report.complaint}`);
    this.made += report.answers[201] ?? 0;
    return sample;
  }
}

/** Each client is a connection, of which the embedded Postgres has 200. */
const MAX_CLIENTS = 150;

/** What a client of pgbench takes to connect and to prepare, with all the others doing the same. */
const CONNECT_MS = 25;

/** pgbench is its own load generator, and asks nobody. */
export class PgbenchContender implements Contender {
  readonly asksPsp = false;

  constructor(
    readonly name: string,
    readonly merchantId: string,
    readonly table: PaymentTable,
    private readonly pgbench: Pgbench,
    private readonly meters: Meters,
  ) {}

  get database(): OwnDatabase {
    return this.meters.database;
  }

  get made(): number {
    return this.pgbench.payments;
  }

  takes({ inFlight, pspMs }: Load): boolean {
    return inFlight <= MAX_CLIENTS && pspMs === 0;
  }

  async run(inFlight: number, { warmMs, windowMs }: Window): Promise<Sample> {
    const window = { warmMs: warmMs + CONNECT_MS * inFlight, windowMs };
    const readUsage = () => usageOf(this.meters.database, 'pgbench', {});
    const ended = cpuMsOfEndedChildren(process.pid);
    const madeBefore = this.made;
    const { report: _, ...sample } = await measured(window, readUsage, this.pgbench.run(inFlight, window));
    // Known only when it has ended, and then for the whole run.
    const spent = (cpuMsOfEndedChildren(process.pid) ?? 0) - (ended ?? 0);
    const load = ended === null ? null : spent / Math.max(1, this.made - madeBefore);
    return { ...sample, cpuMsPerPayment: { ...sample.cpuMsPerPayment, load } };
  }
}
