import { type Page } from '../core/page.js';
import { type FlowAnswer } from '../idempotency/idempotent-runner.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { type RefundView } from './refund.view.js';

/** What a client asks for with POST /v1/payments/{id}/refunds, parsed and validated. */
export interface NewRefund {
  /** Minor units; null = all that is left. */
  readonly amount: number | null;
  /** Its name among several refunds of the payment; null for the only one. */
  readonly reference: string | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What the controller of refunds calls. Every refusal is a thrown `Problem`. */
export interface Refunds {
  refund(asked: RequestContext, paymentId: string, ask: NewRefund): Promise<FlowAnswer>;
  getRefund(caller: Caller, refundId: string): Promise<RefundView>;
  listRefunds(
    caller: Caller,
    paymentId: string,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>>;
}

export const REFUNDS = Symbol('refunds');
