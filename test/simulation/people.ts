import { type MemoryStore } from '../support/memory-store.js';
import { type OperationRegistry } from '../../src/request-storage/operation-registry.js';
import { type Route } from '../../src/request-storage/route.entity.js';
import { pspAttempts } from '../../src/request-storage/route.table.js';
import { type Statement } from '../../src/request-storage/decisions/person-statement.js';
import { type Accounts } from './accounts.js';
import { type Chance, type SimulatedProcess, type World } from './world.js';

/** Some process that lives, with the operations as it has them. */
export interface Console {
  readonly process: SimulatedProcess;
  readonly operations: OperationRegistry;
}

interface Workplace {
  readonly world: World;
  readonly memory: MemoryStore;
  readonly accounts: Accounts;
  readonly console: () => Console | null;
  /** Throws again what is a fault of ours. */
  readonly rethrow: (error: unknown) => void;
}

/** Operators in whose hands the stuck operations are: honest, slow, and not aware of each other. */
export class People {
  /** Statements that were approved. */
  statements = 0;
  private readonly chance: Chance;

  constructor(private readonly at: Workplace) {
    this.chance = at.world.apart(0x1b873593);
  }

  async workOn(stuck: readonly Route[]): Promise<void> {
    await Promise.all(stuck.flatMap((route) => [this.stateWhatIsSeen(route), this.retryNowAndThen(route)]));
  }

  /**
   * One looks at the dashboard of the account that the route was sent to and asks that what is seen be taken; another
   * one approves it, later.
   */
  private async stateWhatIsSeen(route: Route): Promise<void> {
    const { chance } = this;
    const { world } = this.at;
    for (let looks = 0; looks < 4; looks++) {
      await world.wait(chance.between(1_000, 600_000), null);
      const statement = await this.lookAt(route);
      if (!statement || !(await this.act(route, (of) => of.foreseeResolution(route, statement)))) continue;
      world.tell(`a person says of ${route.entityKey}: ${statement.isDone ? 'done' : 'not done'}`);
      await world.wait(chance.between(0, 3_600_000), null);
      if (!(await this.act(route, (of) => of.resolveStuck(route, statement, 'approval')))) continue;
      world.tell(`another one approves it`);
      this.statements += 1;
      return;
    }
  }

  /** null while nobody can say yet. */
  private async lookAt({ merchantId, entityKey, route, ...request }: Route): Promise<Statement | null> {
    const { accounts, memory } = this.at;
    const account = accounts.by(request.accountFingerprint ?? null);
    if (!account || account.isBusyWith({ entityKey, route, ...request })) return null;
    const seen = account.shows({ entityKey, route });
    const attempts = await memory.find(pspAttempts, { merchantId, entityKey, route });
    return {
      isDone: seen !== null,
      evidence: 'seen in the dashboard',
      pspReference: seen?.pspReference ?? null,
      seenAttempt: attempts.at(-1)!.attempt,
      overrulesPsp: false,
      by: 'operator:ada',
    };
  }

  /** Another one has the PSP asked again meanwhile. */
  private async retryNowAndThen(route: Route): Promise<void> {
    const { chance } = this;
    for (let tries = chance.between(0, 2); tries > 0; tries--) {
      await this.at.world.wait(chance.between(1_000, 3_600_000), null);
      const looksUp = chance.maybe(0.3);
      await this.act(route, (of) => of.askNow(route, `retry-${tries}`, looksUp));
    }
  }

  /** False where it was refused, or could not be done. */
  private async act(
    { entityKey }: Route,
    work: (of: ReturnType<OperationRegistry['of']>) => Promise<unknown>,
  ): Promise<boolean> {
    const found = this.at.console();
    if (!found) return false;
    const done = work(found.operations.of(entityKey)).then(
      () => true,
      (error: unknown) => {
        this.at.rethrow(error);
        this.at.world.tell(`${entityKey}: ${(error as Error).message}`);
        return false;
      },
    );
    return Promise.race([done, found.process.death.then(() => false)]);
  }
}
