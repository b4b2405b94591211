import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Clock } from '../core/clock.js';
import { Problem } from '../core/problem.js';
import { type Caller } from '../core/caller.js';
import { isUndecided } from './payment.lifecycle.js';
import { type PaymentView } from './payment.view.js';
import { PaymentsService } from './payments.service.js';

/** Watches that a process keeps at once. */
export const MAX_WATCHES = 200;
/** A client that wants to know longer watches again. */
const MAX_WATCH_MS = 600_000;
/** The time between two reads, short after a change and twice as long after each read without one. */
const SHORTEST_PAUSE_MS = 125;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Follows payments until their outcome is known, by polling: any process may change them, and reading one row by
 * its key costs less than an announcement with every commit.
 */
@Injectable()
export class PaymentWatch implements BeforeApplicationShutdown {
  private watches = 0;
  private readonly ofMerchants = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly payments: PaymentsService,
    private readonly clock: Clock,
  ) {}

  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  /**
   * The payment as it is, and after each change, until its outcome is known or `signal` ends the watch. A merchant has
   * as many watches as there are places left: one alone takes half of them, and a place is left for the next one.
   * @throws Problem `overloaded`, `rate_limited`
   */
  async *watch(caller: Caller, paymentId: string, signal: AbortSignal): AsyncGenerator<PaymentView> {
    if (this.watches >= MAX_WATCHES) {
      throw new Problem('overloaded', 'More payments are being watched than this process can watch.');
    }
    const { merchantId } = caller;
    const own = this.ofMerchants.get(merchantId) ?? 0;
    if (own > 0 && own >= MAX_WATCHES - this.watches) {
      throw new Problem('rate_limited', 'This merchant has reached its limit of concurrent watches.');
    }
    this.count(merchantId, 1);
    try {
      yield* this.follow(caller, paymentId, signal);
    } finally {
      this.count(merchantId, -1);
    }
  }

  private count(merchantId: string, change: 1 | -1): void {
    this.watches += change;
    const own = (this.ofMerchants.get(merchantId) ?? 0) + change;
    if (own > 0) this.ofMerchants.set(merchantId, own);
    else this.ofMerchants.delete(merchantId);
  }

  private async *follow(caller: Caller, paymentId: string, signal: AbortSignal): AsyncGenerator<PaymentView> {
    const untilMs = this.clock.monotonicMs() + MAX_WATCH_MS;
    const ended = AbortSignal.any([signal, this.stopping.signal]);
    let seen = '';
    let pauseMs = SHORTEST_PAUSE_MS;
    while (!signal.aborted && this.clock.monotonicMs() < untilMs) {
      const payment = await this.payments.get(caller, paymentId);
      const shown = JSON.stringify(payment);
      pauseMs = shown === seen ? Math.min(pauseMs * 2, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
      if (shown !== seen) yield payment;
      seen = shown;
      if (!isUndecided(payment)) return;
      await this.clock.sleep(pauseMs, ended).catch(() => undefined);
      if (this.stopping.signal.aborted) {
        throw new Problem('overloaded', 'The process is stopping. Watch the payment again.');
      }
    }
  }
}
