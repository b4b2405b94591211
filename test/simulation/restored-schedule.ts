import { type MemorySnapshot } from '../support/memory-store.js';
import { pspRequests } from '../../src/request-storage/route.table.js';
import { Broken, merchantId, withStory } from './installation.js';
import { PaymentSchedule, type Played, type Wants } from './payment-schedule.js';
import { type Kind, kinds } from './simulated-psp.js';

/** What came of a seed in which commits are lost. */
export interface PlayedRestored extends Pick<Played, 'crashes' | 'effects' | 'refunds' | 'stuck'> {
  /** Charges and the like that were made before the loss, and that the copy did not know. */
  readonly forgotten: number;
  /** Of the routes after it: those that are what was made before, and those that know only that it was. */
  readonly metAgain: number;
  readonly conflicts: number;
  /** Payments that were refused because several PSPs could have made them before. */
  readonly refused: number;
  /** What later routes had made before the loss, and a person gave back. */
  readonly givenBack: number;
}

/**
 * The payment's schedule, and at a moment that the seed draws an older copy of the database takes its
 * place, under PSPs that honour keys. The clients ask again as before; a person compares, as
 * docs/operations.md#lost-commits says, and resumes; and the clients ask once more: nothing is done twice.
 */
export function playRestored(seed: number): Promise<PlayedRestored> {
  return withStory((telling) => new RestoredSchedule(seed, telling).playOn());
}

const wants: readonly Wants[] = [
  'create',
  'capture',
  'capture-a',
  'capture-b',
  'cancel',
  'refund',
  'refund-a',
];

/** Longer than anything that was sent before the loss can be on its way, or be carried out late. */
const UNTIL_COMPARED_MS = 10 * 60_000;

class RestoredSchedule extends PaymentSchedule {
  private knownEffects = 0;
  private forgotten: ReadonlySet<string> = new Set();
  private givenBack = 0;

  protected override get kindsOfPsps(): readonly Kind[] {
    return kinds.filter(({ can }) => can.idempotency.replays === 'all');
  }

  async playOn(): Promise<PlayedRestored> {
    const { world } = this;
    this.processes.push(world.newProcess('A'), world.newProcess('B'));
    await this.until(Promise.all([...this.clients(), this.workers(), this.loseCommits()]));
    // What was answered before the loss may be forgotten by now: the clients ask for all of it again.
    await this.askForAllAgain();
    await this.until(world.wait(UNTIL_COMPARED_MS, null));
    await this.compare();
    await this.resume();
    await this.askForAllAgain();
    await this.calm();
    return this.judgeRestored();
  }

  private async askForAllAgain(): Promise<void> {
    const { world } = this;
    const again = wants.map((one) => this.client(one, one === 'create' ? 0 : world.between(0, 60_000)));
    await this.until(Promise.all([...again, this.workers()]));
  }

  private async loseCommits(): Promise<void> {
    const { world, memory } = this;
    // Often before anything is stored, so that the payment itself is lost.
    await world.wait(world.maybe(0.4) ? 0 : world.between(0, 30_000), null);
    const copy: MemorySnapshot = memory.snapshot();
    this.knownEffects = this.effects.length;
    await world.wait(world.between(50, 90_000), null);
    this.forgotten = new Set(this.effects.slice(this.knownEffects).map(({ pspReference }) => pspReference));
    this.loseCommitsSince(copy);
    this.paymentId = null;
  }

  /** What a later route made, and no route here stands for, is given back. What a first route made is met by its key. */
  private async compare(): Promise<void> {
    const routes = await this.memory.find(pspRequests, { merchantId });
    const known = new Set(routes.map(({ pspIdempotencyKey }) => pspIdempotencyKey));
    for (const effect of this.effects) {
      const isPayment = effect.operation === 'charge' || effect.operation === 'authorize';
      if (!isPayment || effect.undone || effect.route === 1 || known.has(effect.key)) continue;
      this.accounts.all.find(({ name }) => name === effect.psp)!.giveBackByHand(effect);
      this.givenBack += 1;
    }
  }

  /** One effect for each request of the merchant, by whichever of its payments. */
  private onceForEachRequest(): void {
    const seen = new Set<string>();
    for (const { entityKey, undone, operation: what, of } of this.effects) {
      if (undone) continue;
      const name = entityKey.slice('payment-'.length + 37);
      // What it voided is undone: it counts by that.
      const operation = what === 'void' ? `${name} of ${of}` : name;
      if (seen.has(operation))
        throw new Broken(this.world, `two effects of ${operation} after commits were lost`);
      seen.add(operation);
    }
  }

  protected override onceEach(): void {
    super.onceEach();
    this.onceForEachRequest();
  }

  private async judgeRestored(): Promise<PlayedRestored> {
    this.onceEach();
    await this.everyRouteGoesOn();
    const routes = await this.memory.find(pspRequests, { merchantId });
    return {
      crashes: this.crashes,
      effects: this.effects.length,
      refunds: this.effects.filter(({ operation }) => operation === 'refund').length,
      stuck: routes.filter(({ stuckAt }) => stuckAt !== null).length,
      forgotten: this.forgotten.size,
      metAgain: routes.filter((r) => r.verdict === 'effective' && this.forgotten.has(r.pspReference ?? ''))
        .length,
      conflicts: routes.filter(({ stuckReason }) => stuckReason?.includes('other parameters')).length,
      refused: this.refused,
      givenBack: this.givenBack,
    };
  }
}
