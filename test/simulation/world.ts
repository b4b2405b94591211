import { type Clock } from '../../src/core/clock.js';
import { DatabaseClock } from '../../src/core/database-clock.js';
import { SeededIds } from '../../src/core/ids.js';

/** Draws from one seed. */
export class Chance {
  constructor(private readonly drawn: SeededIds) {}

  /** True so often as `probability` says. */
  maybe(probability: number): boolean {
    return this.drawn.random() < probability;
  }

  /** An integer in [from, to]. */
  between(from: number, to: number): number {
    return from + Math.floor(this.drawn.random() * (to - from + 1));
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.between(0, choices.length - 1)]!;
  }
}

/** A process that can die. What it had in hand is never heard of again. */
export interface SimulatedProcess {
  readonly name: string;
  alive: boolean;
  /** Its session with the database, in which its locks were taken: another one after the database ended it. */
  session: number;
  /** Resolves when it dies: what its clients see as a reset connection. */
  readonly death: Promise<'reset'>;
  /** What the process knows of the world's time, which is the database's. */
  readonly clock: DatabaseClock;
  /** How far its machine's clock is off. */
  skewMs: number;
}

/** How far machines' clocks are off, one of these. */
const SKEWS_MS = [0, 0, 0, 0, 1_000, -15_000, 45_000, -45_000, 120_000, -120_000];

interface Pending {
  readonly atMs: number;
  readonly order: number;
  readonly process: SimulatedProcess | null;
  readonly wake: () => void;
}

/**
 * Time, chance and the order of things, all from one seed. Whatever waits, waits here; the world
 * wakes one sleeper at a time, so that every interleaving is one that a seed draws.
 */
export class World {
  nowMs = Date.UTC(2026, 0, 1);
  readonly ids: SeededIds;
  /** What happened, a line each; kept only where it will be read. */
  readonly story: string[] = [];
  private readonly begunMs = this.nowMs;
  private readonly chance: Chance;
  private pending: Pending[] = [];
  private order = 0;

  constructor(
    readonly seed: number,
    private readonly telling: boolean,
  ) {
    this.chance = this.apart(0);
    this.ids = new SeededIds(seed ^ 0x5bd1e995, this.clockOf(null, null));
  }

  /** Draws of their own, so that the schedules of seeds in which they change nothing stay as they are. */
  apart(salt: number): Chance {
    return new Chance(new SeededIds(this.seed ^ salt, this.clockOf(null, null)));
  }

  readonly maybe: Chance['maybe'] = (probability) => this.chance.maybe(probability);
  readonly between: Chance['between'] = (from, to) => this.chance.between(from, to);
  readonly oneOf: Chance['oneOf'] = (choices) => this.chance.oneOf(choices);

  tell(line: string): void {
    if (!this.telling) return;
    this.story.push(`${String(this.nowMs - this.begunMs).padStart(9)} ms  ${line}`);
  }

  newProcess(name: string): SimulatedProcess & { die(): void } {
    let die = () => {};
    const death = new Promise<'reset'>((resolve) => {
      die = () => {
        process.alive = false;
        this.tell(`${name} dies`);
        resolve('reset');
      };
    });
    const process: SimulatedProcess & { die(): void } = {
      name,
      alive: true,
      session: 1,
      death,
      die: () => die(),
      skewMs: this.oneOf(SKEWS_MS),
      get clock(): DatabaseClock {
        throw new Error('set below');
      },
    };
    const clock = new DatabaseClock(this.clockOf(process, process));
    Object.defineProperty(process, 'clock', { value: clock });
    this.beat(process);
    return process;
  }

  /** The database tells the process what time it is, as it does twice a second while the process runs. */
  beat({ clock }: SimulatedProcess, askedMs = this.nowMs): void {
    clock.learn(askedMs, new Date((askedMs + this.nowMs) / 2));
  }

  /** Waits in the world's time; for ever where its process has died. */
  wait(ms: number, process: SimulatedProcess | null): Promise<void> {
    return new Promise((wake) => {
      this.pending.push({ atMs: this.nowMs + ms, order: this.order++, process, wake });
    });
  }

  /** The world's own time, or that of a machine that may be off. */
  clockOf(process: SimulatedProcess | null, machine: Pick<SimulatedProcess, 'skewMs'> | null = null): Clock {
    const wallMs = () => this.nowMs + (machine?.skewMs ?? 0);
    return {
      now: () => new Date(wallMs()),
      wallMs,
      isTrusted: () => true,
      monotonicMs: () => this.nowMs,
      sleep: (ms) => this.wait(ms, process),
      timer: (ms, ring) => {
        let isStopped = false;
        const ringLater = async () => {
          await this.wait(ms, process);
          if (!isStopped) ring();
        };
        void ringLater();
        return () => {
          isStopped = true;
        };
      },
    };
  }

  /** Lets things happen until `done` or nothing waits any more. Throws after `mostSteps`. */
  async run(done: () => boolean, after: () => void, mostSteps = 20_000): Promise<void> {
    await quiet();
    for (let steps = 0; !done(); steps++) {
      const next = this.take();
      if (!next) return;
      if (steps >= mostSteps) throw new Error('the world does not come to rest');
      this.nowMs = Math.max(this.nowMs, next.atMs);
      if (next.process?.alive === false) continue;
      next.wake();
      await quiet();
      after();
    }
  }

  private take(): Pending | null {
    let at = -1;
    for (const [i, one] of this.pending.entries()) {
      const first = this.pending[at];
      if (!first || one.atMs < first.atMs || (one.atMs === first.atMs && one.order < first.order)) at = i;
    }
    return at < 0 ? null : this.pending.splice(at, 1)[0]!;
  }
}

/** Everything that can run without time passing has run. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
