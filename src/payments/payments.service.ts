import { type Ids } from '../kernel/index.js';
import { type Flow, type FlowAnswer, type KeyedFlows } from '../idempotency/index.js';
import { type Caller } from '../merchants/index.js';
import { type Candidates, createPaymentFlow } from './create-payment.flow.js';
import { PaymentFlow, type PaymentFlowDeps } from './payment-flow.js';
import { cancelPaymentFlow, capturePaymentFlow, type OperationAsk } from './payment-operation.flow.js';
import { notFound, type PaymentReader } from './payment.reader.js';
import { firstEntityKey, type PaymentState } from './payment-state.js';
import { attemptViewOf, viewOf } from './payment.view.js';
import {
  type Asked,
  type AttemptView,
  type Page,
  type PaymentAsk,
  type PaymentFilter,
  type Payments,
  type PaymentView,
} from './payments.js';

export interface PaymentsDeps extends PaymentFlowDeps {
  readonly ids: Ids;
  readonly keyed: KeyedFlows;
  readonly candidates: Candidates;
  readonly reader: PaymentReader;
}

/** The flows of payments, which the completer takes up again. */
export interface PaymentFlows {
  readonly create: Flow<PaymentAsk, PaymentState>;
  readonly capture: Flow<OperationAsk, PaymentState>;
  readonly cancel: Flow<OperationAsk, PaymentState>;
}

export function paymentFlows(deps: PaymentFlowDeps & { ids: Ids; candidates: Candidates }): PaymentFlows {
  return {
    create: createPaymentFlow(deps),
    capture: capturePaymentFlow(deps),
    cancel: cancelPaymentFlow(deps),
  };
}

/** The face of the room: each call is one flow under the caller's key, or one read. */
export class PaymentsService implements Payments {
  readonly flows: PaymentFlows;
  private readonly flow: PaymentFlow;

  constructor(private readonly deps: PaymentsDeps) {
    this.flows = paymentFlows(deps);
    this.flow = new PaymentFlow(deps);
  }

  create(asked: Asked, ask: PaymentAsk): Promise<FlowAnswer> {
    return this.run(this.flows.create, asked, ask);
  }

  capture(
    asked: Asked,
    paymentId: string,
    { amount }: { readonly amount: number | null },
  ): Promise<FlowAnswer> {
    return this.run(this.flows.capture, asked, { paymentId, amount });
  }

  cancel(asked: Asked, paymentId: string): Promise<FlowAnswer> {
    return this.run(this.flows.cancel, asked, { paymentId, amount: null });
  }

  private run<Ask>(flow: Flow<Ask, PaymentState>, asked: Asked, ask: Ask): Promise<FlowAnswer> {
    const { caller, key, waitMs, requestId } = asked;
    const { merchantId, apiKeyId } = caller;
    return this.deps.keyed.run(flow, {
      merchantId,
      key,
      waitMs,
      ask,
      actor: `api-key:${apiKeyId}`,
      traceId: requestId,
    });
  }

  async get({ merchantId }: Caller, paymentId: string): Promise<PaymentView> {
    const { payment, stories } = await this.read(merchantId, paymentId);
    return viewOf(payment, stories.get(firstEntityKey(payment)));
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
    const { stories } = await this.read(merchantId, paymentId);
    const data = [...stories.values()].flatMap(({ routes }) =>
      routes.flatMap(({ request, attempts }) => attempts.map((attempt) => attemptViewOf(request, attempt))),
    );
    const newestFirst = data.toSorted((a, b) => (isAfter(a, b) ? -1 : 1));
    return { data: newestFirst, has_more: false, next_cursor: null };
  }

  private async read(merchantId: string, paymentId: string): Promise<PaymentState> {
    const state = await this.flow.read(merchantId, paymentId, { operation: 'first', amount: null });
    if (!state) throw notFound();
    return state;
  }
}

/** Newest first; within a millisecond, by their numbers. */
function isAfter(a: AttemptView, b: AttemptView): boolean {
  if (a.started_at !== b.started_at) return a.started_at > b.started_at;
  return a.route === b.route ? a.attempt > b.attempt : a.route > b.route;
}
