import { Injectable } from '@nestjs/common';
import { type Page } from '../core/page.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type KeyedAnswer, keyedRequest, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';
import { PspRouter } from '../psp/router.js';
import { captureViewsOf, type CaptureView } from './capture.view.js';
import { ChargeFlow, type ChooseAccounts, chooserOf } from './charge.flow.js';
import { hashesOfCustomer } from './customer-of-payment.js';
import { type DisputeStatus } from './dispute.js';
import { type DisputeView } from './dispute.view.js';
import { GuardedChargeFlow } from './duplicate-guard.js';
import { type OrderRequest } from './order-rules.js';
import { OrderedChargeFlow } from './ordered-charge.flow.js';
import { OrderedPayments } from './ordered-payments.js';
import { paymentFlows } from './payment-flows.js';
import { PaymentOperations } from './payment-operations.js';
import { PaymentReader } from './payment.reader.js';
import { notFound } from './refusal.js';
import { firstEntityKey, firstRequested, type StoredPayment } from './payment-state.js';
import { attemptViewOf, type AttemptView, type PaymentView, paymentViewOf } from './payment.view.js';
import { type NewCapture } from './dto/capture-payment.dto.js';
import { type NewCompletion } from './dto/complete-payment.dto.js';
import { type NewPayment } from './dto/create-payment.dto.js';
import { type PaymentFilter } from './dto/list-payments.dto.js';

/** Fields that only refunds have. */
const nothingMore = { amount: null, reference: null, reason: null, metadata: {} } as const;

/** Each call is one flow under the caller's key, or one read. Every refusal is a thrown `Problem`. */
@Injectable()
export class PaymentsService {
  readonly flows: ReturnType<typeof paymentFlows>;
  private readonly chooseAccounts: ChooseAccounts;
  private readonly chooseTestAccounts: ChooseAccounts;

  constructor(
    private readonly operations: PaymentOperations,
    private readonly runner: IdempotentRunner,
    router: PspRouter,
    private readonly reader: PaymentReader,
    private readonly ordered: OrderedPayments,
  ) {
    this.chooseAccounts = chooserOf(router, false);
    this.chooseTestAccounts = chooserOf(router, true);
    this.flows = paymentFlows(operations, this.chooseAccounts);
  }

  create(context: RequestContext, payment: NewPayment): Promise<KeyedAnswer> {
    const { caller } = context;
    const order = payment.order ?? orderOfReference(caller, payment);
    if (order) {
      const flow = new OrderedChargeFlow(this.operations, this.chooserFor(caller), order);
      return this.ordered.create(context, payment, flow, this.flows.cancel);
    }
    return this.runner.run(this.createFlow(caller), keyedRequest(context, payment));
  }

  capture(context: RequestContext, paymentId: string, capture: NewCapture): Promise<KeyedAnswer> {
    const input = { ...nothingMore, ...capture, paymentId };
    return this.runner.run(this.flows.capture, keyedRequest(context, input));
  }

  cancel(context: RequestContext, paymentId: string): Promise<KeyedAnswer> {
    return this.runner.run(this.flows.cancel, keyedRequest(context, { ...nothingMore, paymentId }));
  }

  complete(context: RequestContext, paymentId: string, completion: NewCompletion): Promise<KeyedAnswer> {
    return this.runner.run(this.flows.complete, keyedRequest(context, { ...completion, paymentId }));
  }

  async get({ merchantId }: Caller, paymentId: string): Promise<PaymentView> {
    const { payment, histories } = await this.read(merchantId, paymentId);
    return paymentViewOf(payment, histories.get(firstEntityKey(payment)));
  }

  list(
    { merchantId }: Caller,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>> {
    const { customer, ...conditions } = filter;
    const customers = customer === undefined ? null : hashesOfCustomer(this.operations.tools.seal, customer);
    return this.reader.list(merchantId, conditions, customers, limit, cursor);
  }

  /** The captures of a payment, the newest first. */
  async captures({ merchantId }: Caller, paymentId: string): Promise<Page<CaptureView>> {
    const { payment, histories } = await this.read(merchantId, paymentId);
    return { data: captureViewsOf(payment, histories), has_more: false, next_cursor: null };
  }

  /** A page of a merchant's disputes, the newest first. */
  disputes(
    { merchantId }: Caller,
    status: DisputeStatus | null,
    limit: number,
    cursor: string | null,
  ): Promise<Page<DisputeView>> {
    return this.reader.disputes(merchantId, status, limit, cursor);
  }

  async attempts({ merchantId }: Caller, paymentId: string): Promise<Page<AttemptView>> {
    const { histories } = await this.read(merchantId, paymentId);
    const data = [...histories.values()].flatMap(({ routes }) =>
      routes.flatMap(({ request, attempts }) => attempts.map((attempt) => attemptViewOf(request, attempt))),
    );
    const newestFirst = data.toSorted((a, b) => (isAfter(a, b) ? -1 : 1));
    return { data: newestFirst, has_more: false, next_cursor: null };
  }

  private createFlow(caller: Caller): ChargeFlow {
    const { duplicateWindowS, isTest } = caller;
    const choose = this.chooserFor(caller);
    if (duplicateWindowS > 0) return new GuardedChargeFlow(this.operations, choose, duplicateWindowS);
    return isTest ? new ChargeFlow(this.operations, choose) : this.flows.create;
  }

  private chooserFor({ isTest }: Caller): ChooseAccounts {
    return isTest ? this.chooseTestAccounts : this.chooseAccounts;
  }

  private async read(merchantId: string, paymentId: string): Promise<StoredPayment> {
    const state = await this.operations.find(merchantId, paymentId, firstRequested);
    if (!state) throw notFound();
    return state;
  }
}

/** The order of a merchant whose payments are each for the order of their reference. */
function orderOfReference({ orders }: Caller, { reference, amount }: NewPayment): OrderRequest | null {
  if (orders !== 'by_reference') return null;
  // Such a shop says by the payment what is due.
  return { reference, amountDue: amount, inParts: false, replaces: false };
}

/** Newest first; within a millisecond, by their numbers. */
function isAfter(a: AttemptView, b: AttemptView): boolean {
  if (a.started_at !== b.started_at) return a.started_at > b.started_at;
  return a.route === b.route ? a.attempt > b.attempt : a.route > b.route;
}
