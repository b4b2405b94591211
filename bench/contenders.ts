import { type ChildProcess } from 'node:child_process';
import { cpuMsOf, cpuMsOfEndedChildren, cpuMsOfFamily } from './cpu.js';
import { type LoadOrder, type LoadReport } from './load.js';
import { type CpuMs, measured, type Sample, type Window } from './measure.js';
import { type Pgbench } from './pgbench.js';

/** A contender that can make payments, so many at once. */
export interface Contender {
  readonly name: string;
  /** Of its payments in our tables. */
  readonly merchantId: string;
  run(inFlight: number, window: Window): Promise<Sample>;
  /** Payments that it says it has made, and whether PSPs were asked for them. */
  readonly made: number;
  readonly asksPsp: boolean;
}

/** Where CPU time is read. */
export interface Processes {
  readonly postmaster: number | null;
  readonly simulator: number;
}

/** The load generator, in its own process. One order at a time. */
export class Loader {
  private settle: ((told: { report?: LoadReport; error?: string }) => void) | null = null;

  constructor(private readonly child: ChildProcess) {
    child.on('message', (told) => this.settle?.(told as { report?: LoadReport; error?: string }));
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
    private readonly server: { readonly url: string; readonly pid: number; readonly apiKey: string },
    private readonly loader: Loader,
    private readonly processes: Processes,
  ) {}

  async run(inFlight: number, window: Window): Promise<Sample> {
    const { url, apiKey, pid } = this.server;
    const name = `${this.name}-${++this.runs}`;
    const readCpu = (): CpuMs => ({
      service: cpuMsOf(pid),
      postgres: this.processes.postmaster && cpuMsOfFamily(this.processes.postmaster),
      simulator: cpuMsOf(this.processes.simulator),
      load: cpuMsOf(this.loader.pid),
    });
    const order = { url, apiKey, name, inFlight, ...window };
    const { report, ...sample } = await measured(window, readCpu, this.loader.load(order));
    if (report.complaint) throw new Error(`${this.name} answered ${report.complaint}`);
    this.made += report.answers[201] ?? 0;
    return sample;
  }
}

/** What a client of pgbench takes to connect and to prepare, with all the others doing the same. */
const CONNECT_MS = 25;

/** pgbench is its own load generator, and asks nobody. */
export class PgbenchContender implements Contender {
  readonly name = 'pgbench';
  readonly asksPsp = false;

  constructor(
    readonly merchantId: string,
    private readonly pgbench: Pgbench,
    private readonly processes: Processes,
  ) {}

  get made(): number {
    return this.pgbench.payments;
  }

  async run(inFlight: number, { warmMs, windowMs }: Window): Promise<Sample> {
    const { postmaster } = this.processes;
    const window = { warmMs: warmMs + CONNECT_MS * inFlight, windowMs };
    const readCpu = (): CpuMs => ({ postgres: postmaster && cpuMsOfFamily(postmaster) });
    const ended = cpuMsOfEndedChildren(process.pid);
    const madeBefore = this.made;
    const { report: _, ...sample } = await measured(window, readCpu, this.pgbench.run(inFlight, window));
    // Known only when it has ended, and then for the whole run.
    const spent = (cpuMsOfEndedChildren(process.pid) ?? 0) - (ended ?? 0);
    const load = ended === null ? null : spent / Math.max(1, this.made - madeBefore);
    return { ...sample, cpuMsPerPayment: { ...sample.cpuMsPerPayment, load } };
  }
}
