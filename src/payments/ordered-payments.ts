import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { Config } from '../config/config.js';
import { LOGGER } from '../config/config.module.js';
import { NoneOf } from '../core/change.js';
import { type KeyedAnswer, keyedRequest, type RequestContext } from '../core/keyed-request.js';
import { Problem } from '../core/problem.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type CancelFlow } from './cancel.flow.js';
import { OrderInDoubt, type OrderedChargeFlow } from './ordered-charge.flow.js';
import { PaymentOperations } from './payment-operations.js';
import { PaymentRouteWorker } from './payment-route-worker.js';
import { firstEntityKey, firstRequested } from './payment-state.js';
import { payments } from './payment.table.js';
import { type NewPayment } from './dto/create-payment.dto.js';

const FIRST_NAP_MS = 20;
const LONGEST_NAP_MS = 250;

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
    const asked = new Set<string>();
    for (;;) {
      try {
        return await this.runner.run(flow, keyedRequest(context, payment));
      } catch (error) {
        if (!(error instanceof OrderInDoubt)) throw error;
        const { undecided, replaced } = error;
        for (const id of replaced.filter((one) => !asked.has(one))) await this.cancel(context, id, cancel);
        for (const id of undecided.filter((one) => !asked.has(one))) void this.advance(context, id);
        for (const id of [...undecided, ...replaced]) asked.add(id);
        if (!(await this.waitForOneOf(context, [...undecided, ...replaced], until))) throw error;
      }
    }
  }

  /** Under a key of its own: whoever replaces the same payment gets the same cancel. */
  private async cancel(context: RequestContext, paymentId: string, cancel: CancelFlow): Promise<void> {
    const request = keyedRequest(context, { ...nothingMore, paymentId });
    try {
      await this.runner.run(cancel, { ...request, key: `order-replaces-${paymentId}` });
    } catch (error) {
      // It was decided meanwhile, or another request cancels it: the order is looked at again.
      if (!(error instanceof Problem)) throw error;
    }
  }

  /** Asks its PSP now, unless a request or a worker is about to. */
  private async advance({ caller, requestId }: RequestContext, paymentId: string): Promise<void> {
    const { merchantId } = caller;
    try {
      const state = await this.operations.find(merchantId, paymentId, firstRequested);
      if (!state) return;
      const entityKey = firstEntityKey(state.payment);
      await this.worker.askNow({ merchantId, paymentId, payoutId: null, entityKey }, requestId);
    } catch (err) {
      // The resolver goes on with it.
      this.logger.warn({ err, payment_id: paymentId }, 'a payment in the way of another was not advanced');
    }
  }

  /** False where none of them was decided in time. */
  private async waitForOneOf(
    { caller: { merchantId } }: RequestContext,
    ids: readonly string[],
    untilMs: number,
  ): Promise<boolean> {
    const { clock, store } = this.operations.tools;
    for (let napMs = FIRST_NAP_MS; ids.length > 0; napMs = Math.min(napMs * 2, LONGEST_NAP_MS)) {
      const decided = new NoneOf(['processing', 'requires_action']);
      for (const id of ids) {
        if ((await store.find(payments, { merchantId, id, status: decided }, 1)).length > 0) return true;
      }
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return false;
      await clock.sleep(Math.min(napMs, leftMs));
    }
    return false;
  }
}
