import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { type KeyedAnswer, keyedRequest, type RequestContext } from '../core/keyed-request.js';
import { Problem } from '../core/problem.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type CancelFlow } from './cancel.flow.js';
import { OrderInDoubt, type OrderedChargeFlow } from './ordered-charge.flow.js';
import { PaymentOperations } from './payment-operations.js';
import { PaymentRouteWorker } from './payment-route-worker.js';
import { isUndecided } from './payment.lifecycle.js';
import { payments } from './payment.table.js';
import { type NewPayment } from './dto/create-payment.dto.js';

const ASKED_EVERY_MS = 1_000;
/** Parts in doubt that one request waits for. */
const MOST_WATCHED = 8;

/** Fields that captures and refunds have. */
const nothingMore = { amount: null, reference: null, reason: null, metadata: {} } as const;

/**
 * Takes a payment of an order as soon as the order lets it in: while one before it is in doubt, that one is advanced, and
 * this one waits for the proof as long as its client does.
 */
@Injectable()
export class OrderedPayments {
  constructor(
    private readonly operations: PaymentOperations,
    private readonly runner: IdempotentRunner,
    private readonly worker: PaymentRouteWorker,
    private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Rejects with a `Problem` as the runner does; `order_in_doubt` where the proof does not come in time. */
  async create(
    context: RequestContext,
    payment: NewPayment,
    flow: OrderedChargeFlow,
    cancel: CancelFlow,
  ): Promise<KeyedAnswer> {
    const { clock } = this.operations.tools;
    const until = clock.monotonicMs() + (context.waitMs || (context.deadlineMs ?? this.config.deadlineMs));
    const canceled = new Set<string>();
    for (;;) {
      try {
        return await this.runner.run(flow, keyedRequest(context, payment));
      } catch (error) {
        if (!(error instanceof OrderInDoubt)) throw error;
        for (const id of error.replaced.filter((one) => !canceled.has(one))) {
          await this.cancel(context, id, cancel);
          canceled.add(id);
        }
        if (!(await this.waitForOneOf(context, error, until))) throw error;
      }
    }
  }

  /** Cancels under a key derived from the payment, so that two requests that replace it share one cancel. */
  private async cancel(context: RequestContext, paymentId: string, cancel: CancelFlow): Promise<void> {
    const request = keyedRequest(context, { ...nothingMore, paymentId });
    try {
      await this.runner.run(cancel, { ...request, key: `order-replaces-${paymentId}` });
    } catch (error) {
      // It was decided meanwhile, or another request cancels it: the order is looked at again.
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** False where none of them was decided in time. */
  private async waitForOneOf(
    context: RequestContext,
    { undecided, replaced }: OrderInDoubt,
    untilMs: number,
  ): Promise<boolean> {
    const { clock, store } = this.operations.tools;
    const { merchantId } = context.caller;
    const ids = [...undecided, ...replaced].slice(0, MOST_WATCHED);
    if (ids.length === 0) return false;
    const over = new AbortController();
    const watch = store.watchCommits();
    for (const id of ids) void this.driveOn(context, id, untilMs, over.signal);
    try {
      for (;;) {
        const found = await Promise.all(ids.map((id) => store.find(payments, { merchantId, id }, 1)));
        if (found.some(([one]) => one && !isUndecided(one))) return true;
        const leftMs = untilMs - clock.monotonicMs();
        if (leftMs <= 0) return false;
        await watch.next(leftMs);
      }
    } finally {
      watch.close();
      over.abort();
    }
  }

  /** Advances it as its own client would who asks again: where and how often its PSP is asked, the next step decides. */
  private async driveOn(
    { caller: { merchantId }, requestId }: RequestContext,
    paymentId: string,
    untilMs: number,
    over: AbortSignal,
  ): Promise<void> {
    const { clock } = this.operations.tools;
    try {
      while (!over.aborted) {
        const leftMs = Math.max(untilMs - clock.monotonicMs(), 0);
        await this.worker.advanceForClient({ merchantId, paymentId, payoutId: null }, requestId, leftMs);
        await clock.sleep(ASKED_EVERY_MS, over).catch(() => {});
      }
    } catch (err) {
      // The resolver goes on with it.
      this.logger.warn({ err, payment_id: paymentId }, 'a payment in the way of another was not advanced');
    }
  }
}
