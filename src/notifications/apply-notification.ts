import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { Clock } from '../core/clock.js';
import { Ids } from '../core/ids.js';
import { type JobKind } from '../jobs/job-kind.js';
import {
  type ItemRecorder,
  type NotificationOutcome,
} from '../request-storage/decisions/record-notification.js';
import { OperationRegistry } from '../request-storage/operation-registry.js';
import { applyDelayMs } from './apply-schedule.js';
import { type ApplyArgs, type Decision, Inbox, type Undecided } from './inbox.js';
import { IncomingMetrics } from './incoming-metrics.js';

/**
 * How far two processes' clocks may differ. A try that comes too early is left to the next one, and a try that is
 * due now must not be lost because another process's clock is a little behind.
 */
const CLOCK_SLACK_MS = 1_000;

/**
 * The job `webhook.apply`: passes the facts of one notification to the owners of their operations, and stores the
 * results.
 *
 * It may run twice, also at the same time. Facts may be applied twice; the update of the row is guarded by its
 * state and by the number of tries that was read. Errors of the store or a PSP are thrown, and the queue retries;
 * an unknown operation is no failure and has its own schedule (apply-schedule.ts).
 */
@Injectable()
export class ApplyNotice implements JobKind<ApplyArgs> {
  readonly name = 'webhook.apply';
  readonly retryPolicy = 'default';

  constructor(
    private readonly inbox: Inbox,
    @Inject(OperationRegistry) private readonly facts: ItemRecorder,
    private readonly metrics: IncomingMetrics,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /** Names of events come from PSPs, with up to 200 characters. */
  idOf({ psp, eventId, tries }: ApplyArgs): string {
    return `${psp}.${createHash('sha256').update(eventId).digest('base64url')}.${tries}`;
  }

  async run({ psp, eventId }: ApplyArgs, signal: AbortSignal): Promise<void> {
    const { inbox, metrics, clock } = this;
    const notice = await inbox.undecided(psp, eventId);
    if (notice === null || notice.nextAt.getTime() > clock.now().getTime() + CLOCK_SLACK_MS) return;
    const taken = await this.take(psp, notice, signal);
    const decision = this.decide(taken, notice.tries);
    const moved = await inbox.record({ psp, eventId, tries: notice.tries }, taken, decision, this);
    if (moved && decision.state !== 'received') metrics.decided(psp, decision);
  }

  due(limit: number): Promise<readonly ApplyArgs[]> {
    return this.inbox.due(limit);
  }

  /** One after another: they may be about one payment. One that throws does not keep the others. */
  private async take(
    psp: string,
    { facts, taken, traceId }: Undecided,
    signal: AbortSignal,
  ): Promise<NotificationOutcome[]> {
    const words: NotificationOutcome[] = [];
    const errors: unknown[] = [];
    for (const [index, fact] of facts.entries()) {
      signal.throwIfAborted();
      const before = taken[index];
      if (before !== undefined && before !== 'unknown') {
        // The outcome of an earlier try. It may no longer hold.
        words.push(before);
        continue;
      }
      try {
        words.push(await this.facts.recordNotification(psp, fact, traceId));
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
    return words;
  }

  private decide(taken: readonly NotificationOutcome[], tries: number): Decision {
    if (taken.length === 0) return { state: 'ignored' };
    if (taken.includes('contradiction')) return { state: 'break', reason: 'contradiction' };
    if (!taken.includes('unknown')) return { state: 'applied' };
    const delayMs = applyDelayMs(tries, this.ids.random());
    // One change comes as several facts if it has several names; not every name must be known.
    const isKnown = taken.some((word) => word !== 'unknown');
    if (delayMs === null)
      return isKnown ? { state: 'applied' } : { state: 'break', reason: 'operation_unknown' };
    return { state: 'received', nextAt: new Date(this.clock.now().getTime() + delayMs) };
  }
}
