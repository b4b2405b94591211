import { type Page } from '../core/page.js';
import { type FlowAnswer } from '../idempotency/idempotent-runner.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { type Refunds } from '../refunds/refunds.js';
import { type DisputeView } from './dispute.js';

/** What a client asks for with POST /v1/payments, parsed and validated; nothing optional is undefined. */
export interface PaymentAsk {
  readonly reference: string;
  /** Minor units, 1 to 2^53 - 1. */
  readonly amount: number;
  readonly currency: string;
  readonly capture: 'automatic' | 'manual';
  readonly paymentMethod: {
    readonly type: 'card';
    /** PSP account name to that PSP's own token. At least one. */
    readonly tokens: Readonly<Record<string, string>>;
    /** PSP account name to that PSP's own customer. Absent where it was not given. */
    readonly customers?: Readonly<Record<string, string>>;
    /** The merchant starts the payment. Absent: the customer does. */
    readonly initiator?: 'merchant';
    readonly card: { readonly brand: string | null; readonly country: string | null };
  };
  readonly customer: { readonly reference: string | null; readonly email: string | null };
  readonly returnUrl: string | null;
  readonly statementDescriptor: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The same payment within the merchant's window is meant. Absent where it was not said. */
  readonly allowDuplicate?: true;
}

export interface CaptureAsk {
  /** Minor units; null = all that is left. */
  readonly amount: number | null;
  /** Its name among several captures of the payment; null for the only one. */
  readonly reference: string | null;
}

/** What the customer's return handed over (Adyen: `redirectResult`, `threeDSResult`), for the PSP as it is. */
export interface CompletionAsk {
  readonly details: Readonly<Record<string, unknown>>;
}

export interface PaymentFilter {
  readonly status?: string;
  readonly psp?: string;
  readonly reference?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

/** What the customer has to do: a page to open, or what the PSP's own library carries out. */
export type NextActionView =
  | {
      readonly type: 'redirect';
      readonly url: string;
      readonly method: 'GET' | 'POST';
      /** The form to send with it; empty for GET. */
      readonly fields: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'psp_sdk';
      /** The PSP account's name. */
      readonly psp: string;
      /** The PSP's object, as it came. */
      readonly data: Readonly<Record<string, unknown>>;
    };

/** The payment as the API shows it; field names are the wire's. */
export interface PaymentView {
  readonly object: 'payment';
  readonly id: string;
  readonly reference: string;
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  /** What PSPs hold back because of disputes, or have taken. */
  readonly amount_disputed: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly psp_reference: string | null;
  readonly entity_key: string;
  readonly routes: readonly { route: number; psp: string; verdict: string; outcome: string | null }[];
  readonly failure: { category: string; code: string; psp_code: string | null; message: string } | null;
  readonly next_action: NextActionView | null;
  readonly disputes: readonly DisputeView[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly updated_at: string;
}

export const paymentStatuses = [
  'processing',
  'requires_action',
  'authorized',
  'captured',
  'partially_refunded',
  'refunded',
  'canceled',
  'failed',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

/** One call on the wire as GET /v1/payments/:id/attempts shows it. */
export interface AttemptView {
  readonly entity_key: string;
  readonly route: number;
  readonly attempt: number;
  readonly psp: string;
  readonly kind: string;
  readonly outcome: string | null;
  readonly psp_code: string | null;
  readonly http_status: number | null;
  readonly latency_ms: number | null;
  readonly verdict: string;
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** What the controller of payments calls. Every refusal is a thrown `Problem`. */
export interface Payments extends Refunds {
  create(asked: RequestContext, ask: PaymentAsk): Promise<FlowAnswer>;
  capture(asked: RequestContext, paymentId: string, ask: CaptureAsk): Promise<FlowAnswer>;
  cancel(asked: RequestContext, paymentId: string): Promise<FlowAnswer>;
  complete(asked: RequestContext, paymentId: string, ask: CompletionAsk): Promise<FlowAnswer>;
  get(caller: Caller, paymentId: string): Promise<PaymentView>;
  list(
    caller: Caller,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>>;
  attempts(caller: Caller, paymentId: string): Promise<Page<AttemptView>>;
}
