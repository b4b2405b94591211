import { Injectable } from '@nestjs/common';
import { type Page, pageOf } from '../core/page.js';
import { Problem } from '../core/problem.js';
import { between, newestFirst } from '../database/conditions.js';
import { translateOutage } from '../database/store-unavailable.js';
import { TenantDatabase } from '../database/tenants.js';
import { IdempotentRunner } from '../idempotency/idempotent-runner.js';
import { type KeyedAnswer, keyedRequest, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';
import { PaymentOperations } from '../payments/payment-operations.js';
import { PaymentsService } from '../payments/payments.service.js';
import { Refund } from './refund.entity.js';
import { RefundFlow } from './refund.flow.js';
import { refundViewOf, type RefundView } from './refund.view.js';
import { type RefundFilter } from './dto/list-refunds.dto.js';

/** A client's POST /v1/payments/{id}/refunds, parsed and validated. */
export interface NewRefund {
  /** Minor units; null = all that is left. */
  readonly amount: number | null;
  /** Its name among several refunds of the payment; null for the only one. */
  readonly reference: string | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Asks for refunds and reads them. Every refusal is a thrown `Problem`. */
@Injectable()
export class RefundsService {
  /** The flow that the completer resumes. */
  readonly flow: RefundFlow;

  constructor(
    operations: PaymentOperations,
    private readonly runner: IdempotentRunner,
    private readonly payments: PaymentsService,
    private readonly tenants: TenantDatabase,
  ) {
    this.flow = new RefundFlow(operations);
    operations.register(this.flow);
  }

  create(context: RequestContext, paymentId: string, refund: NewRefund): Promise<KeyedAnswer> {
    return this.runner.run(this.flow, keyedRequest(context, { ...refund, paymentId }));
  }

  /** Throws Problem `not_found` for another merchant's refund as for none. */
  async get({ merchantId }: Caller, id: string): Promise<RefundView> {
    const refund = await translateOutage(
      this.tenants.within(merchantId, (tx) => tx.findOneBy(Refund, { merchantId, id })),
    );
    if (!refund) throw new Problem('not_found', 'No such refund.');
    return refundViewOf(refund);
  }

  /** A page of a payment's refunds. */
  async list(
    caller: Caller,
    paymentId: string,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>> {
    await this.payments.get(caller, paymentId);
    return this.page({ merchantId: caller.merchantId, paymentId }, limit, cursor);
  }

  /** A page of a merchant's refunds, of all its payments. */
  listAll(
    { merchantId }: Caller,
    { createdFrom, createdTo, ...conditions }: RefundFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>> {
    const where = { merchantId, ...conditions, createdAt: between(createdFrom, createdTo) };
    return this.page(where, limit, cursor);
  }

  private async page(
    where: { readonly merchantId: string } & Readonly<Record<string, unknown>>,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>> {
    const found = await translateOutage(
      this.tenants.within(where.merchantId, (tx) =>
        newestFirst(tx.getRepository(Refund), where, limit, cursor),
      ),
    );
    return pageOf(found, limit, refundViewOf);
  }
}
