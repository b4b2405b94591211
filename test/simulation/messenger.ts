import { Problem } from '../../src/core/problem.js';
import { StoreUnavailable } from '../../src/database/store-unavailable.js';
import { type NotificationItem } from '../../src/psp/notification.js';
import {
  type ItemRecorder,
  type NotificationOutcome,
} from '../../src/request-storage/decisions/record-notification.js';
import { type SimulatedProcess, type World } from './world.js';

/** Tries of a PSP to deliver one copy of a notification. */
const TRIES = 8;

/**
 * Carries what PSPs tell to the services: each fact not at all, once or several times, at once or
 * hours late, in any order, and again where nobody took it.
 */
export class Messenger {
  /** What the services made of what they were told, by the PSP that told it. */
  readonly taken: {
    readonly psp: string;
    readonly taken: NotificationOutcome;
    readonly fact: NotificationItem;
  }[] = [];
  private readonly share: number;
  private isStopped = false;

  constructor(
    private readonly world: World,
    private readonly someone: () => {
      readonly process: SimulatedProcess;
      readonly facts: ItemRecorder;
    } | null,
  ) {
    this.share = world.oneOf([0, 0.5, 1, 1]);
  }

  carry(psp: string, fact: NotificationItem): void {
    const { world } = this;
    if (!world.maybe(this.share)) return;
    for (let copies = world.between(1, 3); copies > 0; copies--) void this.deliver(psp, fact);
  }

  /** Nothing more is told: what was told can come to its end. */
  stop(): void {
    this.isStopped = true;
  }

  private async deliver(psp: string, fact: NotificationItem): Promise<void> {
    const { world } = this;
    await world.wait(world.between(0, world.oneOf([50, 5_000, 120_000, 3_600_000])), null);
    for (let tries = 0; tries < TRIES && !this.isStopped; tries++) {
      const taken = await this.hand(psp, fact);
      if (taken !== null && taken !== 'unknown') {
        world.tell(`${psp} tells ${fact.operation} ${fact.about} ${fact.answer.outcome}: ${taken}`);
        this.taken.push({ psp, taken, fact });
        return;
      }
      await world.wait(world.between(1_000, 600_000), null);
    }
  }

  /** null where nobody took it. */
  private async hand(psp: string, fact: NotificationItem): Promise<NotificationOutcome | null> {
    const someone = this.someone();
    if (!someone) return null;
    const taking = someone.facts.recordNotification(psp, fact, 'notice').catch((error: unknown) => {
      if (error instanceof StoreUnavailable || error instanceof Problem) return null;
      throw error;
    });
    const taken = await Promise.race([taking, someone.process.death]);
    return taken === 'reset' ? null : taken;
  }
}
