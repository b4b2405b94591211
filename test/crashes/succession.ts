import { setTimeout as sleep } from 'node:timers/promises';
import { pspNames } from '@payonce/simulator';
import { type ServiceProcess, type TestEnvironment, type PspName } from '../support/test-environment.js';
import { type Death, type Run } from './plan.js';

/** How long a process may take to come to the place where it dies. */
const PATIENCE_MS = 45_000;

/** The process that is to be killed, and those that take its place one after the other. */
export class Succession {
  /** How many died at their places. */
  deaths = 0;
  private service: ServiceProcess | null = null;
  private isOver = false;

  constructor(
    private readonly environment: TestEnvironment,
    private readonly run: Run,
  ) {}

  get url(): string {
    return this.service?.url ?? 'http://nobody.invalid';
  }

  async begin(present: ServiceProcess | null): Promise<void> {
    this.service = present ?? (await this.start());
  }

  /** From now on a service that ends is not followed. */
  end(): void {
    this.isOver = true;
  }

  /** Who is there for the next run; the place where it did not come to die is forgotten. */
  async survivor(): Promise<ServiceProcess | null> {
    const { service } = this;
    if (!service) return null;
    try {
      await service.arm({ place: 'nowhere' });
      return service;
    } catch {
      service.kill();
      return null;
    }
  }

  /** Tells the process in hand where it dies; it will end by SIGKILL, or `dies` rejects. */
  async doom(death: Death, spared: PspName | null): Promise<{ dies: () => Promise<void> }> {
    const dying = this.service!;
    if (death.by === 'hook') await dying.arm(death);
    else this.sendExecutioner(death, 'execute', spared);
    return { dies: () => this.expectDeath(dying) };
  }

  /** Starts a process that lives so much later, and may be told to die from its very start. */
  async jump(ms: number, env: Readonly<Record<string, string>> = {}, death?: Death): Promise<ServiceProcess> {
    this.end();
    this.service?.kill();
    await this.service?.exit;
    await this.environment.travel(ms);
    this.isOver = false;
    this.service = await this.start(env, death);
    return this.service;
  }

  /**
   * Starts the process that recovers. It may have to die as well, even of what it does by itself
   * before it says that it is ready; then a third takes its place.
   */
  async recover(): Promise<void> {
    const { secondDeath } = this.run;
    await this.clearFaults();
    try {
      this.service = await this.start({}, secondDeath ?? undefined);
    } catch (error) {
      if (!secondDeath) throw error;
      this.deaths += 1;
      this.service = await this.start();
      return;
    }
    if (!secondDeath) return;
    if (secondDeath.by === 'psp') this.sendExecutioner(secondDeath, 'any', null);
    void this.replace(this.service);
  }

  async expectDeath(dying: ServiceProcess): Promise<void> {
    const alive = new AbortController();
    const late = sleep(PATIENCE_MS, null, { signal: alive.signal }).catch(() => null);
    const ended = await Promise.race([dying.exit, late]);
    alive.abort();
    if (!ended) throw new Error('nobody was killed');
    const { signal } = ended;
    if (signal !== 'SIGKILL') throw new Error(`it ended otherwise than by SIGKILL: ${signal}`);
    this.deaths += 1;
  }

  /** To whichever PSP is called next; one that only declines or refuses is not the one. */
  sendExecutioner(
    { when }: Extract<Death, { by: 'psp' }>,
    on: 'execute' | 'any',
    spared: PspName | null,
  ): void {
    const { pid } = this.service!;
    for (const psp of pspNames) {
      if (psp !== spared) this.environment.simulator.faults(psp, { fault: 'kill', pid, when, next: 1, on });
    }
  }

  private async replace(second: ServiceProcess): Promise<void> {
    await second.exit;
    if (this.isOver) return;
    this.deaths += 1;
    await this.clearFaults();
    this.service = await this.start();
  }

  private start(env: Readonly<Record<string, string>> = {}, death?: Death): Promise<ServiceProcess> {
    const at = death?.by === 'hook' ? { at: death } : {};
    return this.environment.startProcess({ watched: true, env, ...at });
  }

  /** An executioner that the dead one did not meet must not wait for the process that gets its number. */
  private async clearFaults(): Promise<void> {
    const { weather, first } = this.run;
    const staysDown = weather === 'first PSP down' && this.deaths === 1;
    for (const psp of pspNames) {
      if (psp !== first || !staysDown) await this.environment.simulator.clearFaults(psp);
    }
  }
}
