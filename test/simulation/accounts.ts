import { type Kind, SimulatedPsp } from './simulated-psp.js';
import { type Chance, type SimulatedProcess, type World } from './world.js';

/** The accounts at PSPs by the names under which they are configured, which may come to mean other accounts. */
export class Accounts {
  rotations = 0;
  /** Every account that there ever was. */
  readonly all: SimulatedPsp[];
  private readonly configured: Map<string, SimulatedPsp>;
  /** A process learns of a change some seconds after it was made. */
  private readonly before = new Map<
    SimulatedProcess,
    { readonly untilMs: number; readonly configured: ReadonlyMap<string, SimulatedPsp> }
  >();
  private readonly chance: Chance;

  constructor(
    private readonly world: World,
    names: readonly string[],
    kinds: readonly Kind[],
  ) {
    this.chance = world.apart(0x3c6ef372);
    this.configured = new Map(names.map((name) => [name, new SimulatedPsp(name, world.oneOf(kinds), world)]));
    this.all = [...this.configured.values()];
  }

  get names(): string[] {
    return [...this.configured.keys()];
  }

  has(name: string): boolean {
    return this.configured.has(name);
  }

  /** The account of this name as the process knows it. */
  knownTo(process: SimulatedProcess, name: string): SimulatedPsp {
    const before = this.before.get(process);
    const isBehind = before !== undefined && this.world.nowMs < before.untilMs;
    return (isBehind ? before.configured : this.configured).get(name)!;
  }

  fingerprintOf(account: SimulatedPsp): string {
    return `account ${this.all.indexOf(account)}`;
  }

  by(fingerprint: string | null): SimulatedPsp | undefined {
    return this.all.find((account) => this.fingerprintOf(account) === fingerprint);
  }

  /** Now and then another account takes the place of one that is configured, and mostly the first one its own again. */
  async rotate(processes: readonly SimulatedProcess[]): Promise<void> {
    const { chance, world } = this;
    if (!chance.maybe(0.15)) return;
    const name = chance.oneOf(this.names);
    const first = this.configured.get(name)!;
    // A late effect of a PSP that lies is found by looking again, for which its account has to be there.
    if (first.kind.lies) return;
    await world.wait(chance.oneOf([chance.between(0, 2_000), chance.between(0, 90_000)]), null);
    const second = new SimulatedPsp(name, first.kind, world, `${name}.${this.all.length}`);
    second.weather = first.weather;
    second.tells = first.tells;
    this.all.push(second);
    this.configure(name, second, processes);
    if (chance.maybe(0.3)) return;
    await world.wait(chance.between(1_000, 600_000), null);
    this.configure(name, first, processes);
  }

  private configure(name: string, account: SimulatedPsp, processes: readonly SimulatedProcess[]): void {
    this.rotations += 1;
    const configured = new Map(this.configured);
    this.configured.set(name, account);
    for (const process of processes) {
      this.before.set(process, { untilMs: this.world.nowMs + this.chance.between(0, 3_000), configured });
    }
    this.world.tell(`${name} is ${this.fingerprintOf(account)} from now on`);
  }
}
