import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const KEPT_OUTPUT = 100_000;
const STOP_TIMEOUT_MS = 4_000;

/** Whatever configures Payonce or the simulator from outside: the demo decides these itself. */
const OURS = /^(PAYONCE_.*|SIMULATOR_.*|DATABASE_URL|REDIS_URL|PORT|HOST)$/;

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A module of the build that is loaded first. */
  readonly preload?: string;
  /** An open file for its standard output, which `says` then does not hear. */
  readonly log?: number;
}

/** A process of ours. Its standard input is a pipe, so that it can tell when the demo is gone. */
export class Child {
  private readonly process: ChildProcess;
  private readonly ended: Promise<number | null>;
  private stdout = '';
  private tail = '';
  private alive = true;

  /** `entry` is a path in the checkout, or an absolute one. */
  constructor(
    private readonly name: string,
    entry: string,
    { args = [], env = {}, preload, log }: ChildOptions = {},
  ) {
    const outer = Object.fromEntries(Object.entries(process.env).filter(([key]) => !OURS.test(key)));
    const first = preload === undefined ? [] : ['--import', inCheckout(preload).href];
    this.process = spawn(process.execPath, [...first, fileURLToPath(inCheckout(entry)), ...args], {
      env: { ...outer, ...env },
      stdio: ['pipe', log ?? 'pipe', 'pipe'],
    });
    this.process.stdin?.on('error', () => {}); // it was faster in ending
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout = (this.stdout + text).slice(-KEPT_OUTPUT);
      this.tail = (this.tail + text).slice(-KEPT_OUTPUT);
    });
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.tail = (this.tail + text).slice(-KEPT_OUTPUT);
    });
    this.ended = new Promise((settle) => {
      this.process.once('close', (code) => {
        this.alive = false;
        settle(code);
      });
      this.process.once('error', (error) => {
        this.tail += error.message;
        this.alive = false;
        settle(null);
      });
    });
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** What it says on standard output, once a line of it matches. */
  async says(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const late = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match;
      if (!this.alive) throw new Error(`${this.name} ended before it was ready.${this.lastWords()}`);
      const more = once(this.process.stdout!, 'data', { signal: late });
      await Promise.race([more, this.ended]).catch(() => {
        throw new Error(`${this.name} was not ready after ${timeoutMs / 1_000} s.${this.lastWords()}`);
      });
      more.catch(() => {});
    }
  }

  /** The one JSON value that a command prints. */
  async result(timeoutMs: number): Promise<unknown> {
    const late = setTimeout(() => this.kill(), timeoutMs);
    const code = await this.ended;
    clearTimeout(late);
    if (code !== 0)
      throw new Error(`${this.name} failed (exit ${code ?? 'by a signal'}).${this.lastWords()}`);
    return JSON.parse(this.stdout) as unknown;
  }

  /** Resolves when it has ended, by itself or by a signal. */
  async end(): Promise<void> {
    await this.ended;
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  /** Asks it to stop, and does not wait for ever. */
  async stop(): Promise<void> {
    if (!this.alive) return;
    this.process.kill('SIGTERM');
    const late = setTimeout(() => this.kill(), STOP_TIMEOUT_MS);
    await this.ended;
    clearTimeout(late);
  }

  private lastWords(): string {
    const lines = this.tail.trim().split('\n').slice(-8);
    return this.tail.trim() === '' ? '' : ` It said:\n${lines.map((line) => `  ${line}`).join('\n')}`;
  }
}

/** From dist/demo, where this runs, to the top of the checkout. */
function inCheckout(path: string): URL {
  return pathToFileURL(resolve(import.meta.dirname, '../..', path));
}
