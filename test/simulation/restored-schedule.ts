import { type MemorySnapshot } from '../../src/database/commit/memory-store.js';
import { type PspRequest } from '../../src/request-storage/psp-request.entity.js';
import { pspRequests } from '../../src/request-storage/psp-request.table.js';
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
  /** Schedules that promise nothing: what was lost had been sent under a later route's key. */
  readonly excused: number;
}

/**
 * The payment's schedule, and at a moment that the seed draws an older copy of the database takes its
 * place, under PSPs that honour keys. The clients ask again as before: nothing is done twice.
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

class RestoredSchedule extends PaymentSchedule {
  private lostRoutes: readonly PspRequest[] = [];
  private knownEffects = 0;
  private forgotten: ReadonlySet<string> = new Set();

  protected override get kindsOfPsps(): readonly Kind[] {
    return kinds.filter(({ can }) => can.idempotency.replays === 'all');
  }

  async playOn(): Promise<PlayedRestored> {
    const { world } = this;
    this.processes.push(world.newProcess('A'), world.newProcess('B'));
    await this.until(Promise.all([...this.clients(), this.workers(), this.loseCommits()]));
    // What was answered before the loss may be forgotten by now: the clients ask for all of it again.
    const again = wants.map((one) => this.client(one, one === 'create' ? 0 : world.between(0, 60_000)));
    await this.until(Promise.all([...again, this.workers()]));
    await this.calm();
    return this.judgeRestored();
  }

  private async loseCommits(): Promise<void> {
    const { world, memory } = this;
    await world.wait(world.between(0, 30_000), null);
    const copy: MemorySnapshot = memory.snapshot();
    this.knownEffects = this.effects.length;
    await world.wait(world.between(50, 90_000), null);
    this.lostRoutes = await memory.find(pspRequests, { merchantId });
    this.forgotten = new Set(this.effects.slice(this.knownEffects).map(({ pspReference }) => pspReference));
    this.loseCommitsSince(copy);
    this.paymentId = null;
  }

  /**
   * A key of a later route is arrived at by the same history alone, and the PSP of route 1 may take now what did
   * not reach it then (docs/adr/0017).
   */
  private get isExcused(): boolean {
    const later = new Set(this.lostRoutes.flatMap((r) => (r.route > 1 ? [r.pspIdempotencyKey] : [])));
    return this.effects.some(({ key }) => later.has(key));
  }

  /** One effect for each request of the merchant, by whichever of its payments. */
  private onceForEachRequest(): void {
    const seen = new Set<string>();
    for (const { entityKey, undone } of this.effects) {
      if (undone) continue;
      const operation = entityKey.slice('payment-'.length + 37);
      if (seen.has(operation))
        throw new Broken(this.world, `two effects of ${operation} after commits were lost`);
      seen.add(operation);
    }
  }

  protected override onceEach(): void {
    if (this.isExcused) return;
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
      excused: this.isExcused ? 1 : 0,
    };
  }
}
