import { type Page } from '../core/page.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type NewRefund } from '../refunds/refunds.js';
import { type Ids } from '../core/ids.js';
import { type FlowAnswer, type IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type Flow } from '../idempotency/phases.js';
import { type Caller } from '../merchants/caller.js';
import { type RefundReader } from '../refunds/refund.reader.js';
import { type RefundView } from '../refunds/refund.view.js';
import { completePaymentFlow } from './complete-payment.flow.js';
import { createPaymentFlow, type Route } from './create-payment.flow.js';
import { refusingDuplicates } from './duplicate-guard.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import {
  cancelPaymentFlow,
  capturePaymentFlow,
  type OperationRequest,
  refundPaymentFlow,
} from './payment-operation.flow.js';
import { notFound, type PaymentReader } from './payment.reader.js';
import { firstEntityKey, firstRequested, type PaymentState, type StoredPayment } from './payment-state.js';
import { attemptViewOf, viewOf } from './payment.view.js';
import { type AttemptView, type PaymentView } from './payment.view.js';
import {
  type NewCapture,
  type NewCompletion,
  type NewPayment,
  type PaymentFilter,
  type Payments,
} from './payments.js';

export interface PaymentsDeps extends PaymentFlowDeps {
  readonly ids: Ids;
  readonly keyed: IdempotentRunner;
  readonly route: Route;
  readonly reader: PaymentReader;
  readonly refundReader: RefundReader;
}

/** The flows of payments, which the completer takes up again. */
export interface PaymentFlows {
  readonly create: Flow<NewPayment, PaymentState>;
  readonly capture: Flow<OperationRequest, PaymentState>;
  readonly cancel: Flow<OperationRequest, PaymentState>;
  readonly complete: Flow<NewCompletion & { readonly paymentId: string }, PaymentState>;
  readonly refund: Flow<OperationRequest, PaymentState>;
}

export function paymentFlows(deps: PaymentFlowDeps & { ids: Ids; route: Route }): PaymentFlows {
  return {
    create: createPaymentFlow(deps),
    capture: capturePaymentFlow(deps),
    cancel: cancelPaymentFlow(deps),
    complete: completePaymentFlow(deps),
    refund: refundPaymentFlow(deps),
  };
}

/** What only refunds are asked with. */
const nothingMore = { amount: null, reference: null, reason: null, metadata: {} } as const;

/** The face of the room: each call is one flow under the caller's key, or one read. */
export class PaymentsService implements Payments {
  readonly flows: PaymentFlows;
  private readonly flow: PaymentFlow;

  constructor(private readonly deps: PaymentsDeps) {
    this.flows = paymentFlows(deps);
    this.flow = new PaymentFlow(deps);
  }

  create(asked: RequestContext, ask: NewPayment): Promise<FlowAnswer> {
    const { duplicateWindowS } = asked.caller;
    return this.run(refusingDuplicates(this.flows.create, this.deps, duplicateWindowS), asked, ask);
  }

  capture(asked: RequestContext, paymentId: string, ask: NewCapture): Promise<FlowAnswer> {
    return this.run(this.flows.capture, asked, { ...nothingMore, ...ask, paymentId });
  }

  cancel(asked: RequestContext, paymentId: string): Promise<FlowAnswer> {
    return this.run(this.flows.cancel, asked, { ...nothingMore, paymentId });
  }

  complete(asked: RequestContext, paymentId: string, ask: NewCompletion): Promise<FlowAnswer> {
    return this.run(this.flows.complete, asked, { ...ask, paymentId });
  }

  refund(asked: RequestContext, paymentId: string, ask: NewRefund): Promise<FlowAnswer> {
    return this.run(this.flows.refund, asked, { ...ask, paymentId });
  }

  getRefund({ merchantId }: Caller, refundId: string): Promise<RefundView> {
    return this.deps.refundReader.get(merchantId, refundId);
  }

  async listRefunds(
    { merchantId }: Caller,
    paymentId: string,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>> {
    await this.read(merchantId, paymentId);
    return this.deps.refundReader.listOf(merchantId, paymentId, limit, cursor);
  }

  private run<Ask>(flow: Flow<Ask, PaymentState>, asked: RequestContext, ask: Ask): Promise<FlowAnswer> {
    const { caller, key, waitMs, deadlineMs, requestId } = asked;
    const { merchantId, apiKeyId } = caller;
    return this.deps.keyed.run(flow, {
      merchantId,
      key,
      waitMs,
      deadlineMs,
      ask,
      actor: `api-key:${apiKeyId}`,
      traceId: requestId,
    });
  }

  async get({ merchantId }: Caller, paymentId: string): Promise<PaymentView> {
    const { payment, histories } = await this.read(merchantId, paymentId);
    return viewOf(payment, histories.get(firstEntityKey(payment)));
  }

  list(
    caller: Caller,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    return this.deps.reader.list(caller.merchantId, filter, limit, cursor);
  }

  async attempts({ merchantId }: Caller, paymentId: string): Promise<Page<AttemptView>> {
    const { histories } = await this.read(merchantId, paymentId);
    const data = [...histories.values()].flatMap(({ routes }) =>
      routes.flatMap(({ request, attempts }) => attempts.map((attempt) => attemptViewOf(request, attempt))),
    );
    const newestFirst = data.toSorted((a, b) => (isAfter(a, b) ? -1 : 1));
    return { data: newestFirst, has_more: false, next_cursor: null };
  }

  private async read(merchantId: string, paymentId: string): Promise<StoredPayment> {
    const state = await this.flow.find(merchantId, paymentId, firstRequested);
    if (!state) throw notFound();
    return state;
  }
}

/** Newest first; within a millisecond, by their numbers. */
function isAfter(a: AttemptView, b: AttemptView): boolean {
  if (a.started_at !== b.started_at) return a.started_at > b.started_at;
  return a.route === b.route ? a.attempt > b.attempt : a.route > b.route;
}
