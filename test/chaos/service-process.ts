import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from '../../demo/child.js';

const START_TIMEOUT_MS = 60_000;
const LOOK_TIMEOUT_MS = 1_000;
/** Postgres is never away for so many starts. */
const MOST_STARTS = 50;

/** A process of the service: it is killed, frozen and started again under the same name and port. */
export class ServiceProcess {
  private child: Child | null = null;
  private starts = 0;

  constructor(
    readonly name: string,
    readonly port: number,
    /** Programs that are started one after the other: several versions take turns. */
    private readonly entries: readonly string[],
    private readonly logs: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  get isUp(): boolean {
    return this.child !== null;
  }

  /** Resolves when it is ready, or has ended because something that it needs is away. */
  async start(clockOffsetMs = 0): Promise<boolean> {
    this.starts += 1;
    const log = openSync(join(this.logs, `${this.name}-${this.starts}.log`), 'w');
    const env = { ...this.env, PORT: String(this.port), PAYONCE_CLOCK_OFFSET_MS: String(clockOffsetMs) };
    const entry = this.entries[this.starts % this.entries.length]!;
    const child = new Child(this.name, entry, { env, log, preload: 'dist/demo/exit-with-parent.js' });
    closeSync(log);
    this.child = child;
    void this.forget(child);
    const giveUpAt = performance.now() + START_TIMEOUT_MS;
    while (this.child === child && performance.now() < giveUpAt) {
      if (await this.isLive()) return true;
      await sleep(50);
    }
    return false;
  }

  private async forget(child: Child): Promise<void> {
    await child.end();
    if (this.child === child) this.child = null;
  }

  /** Starts it until it stays, as what watches over processes does. */
  async keepUp(clockOffsetMs = 0): Promise<void> {
    for (let tries = 1; !this.isUp && !(await this.start(clockOffsetMs)); tries++) {
      if (tries === MOST_STARTS) throw new Error(`${this.name} does not start; its logs are in ${this.logs}`);
      await sleep(500);
    }
  }

  private async isLive(): Promise<boolean> {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
    const url = `http://127.0.0.1:${this.port}/health/live`;
    const answer = await fetch(url, { signal }).catch(() => null);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }

  signal(name: NodeJS.Signals): void {
    if (this.child) process.kill(this.child.pid, name);
  }

  async kill(): Promise<void> {
    const { child } = this;
    child?.kill();
    await child?.end();
  }

  async stop(): Promise<void> {
    await this.child?.stop();
  }
}
