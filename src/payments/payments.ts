import { type Caller } from '../merchants/index.js';
import { type RefundView } from '../refunds/index.js';

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

export interface RefundAsk extends CaptureAsk {
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How a POST that moves money was asked. */
export interface Asked {
  readonly caller: Caller;
  /** The Idempotency-Key, unquoted. */
  readonly key: string;
  /** `Prefer: wait=<seconds>` in ms; 0 where absent. At most 60,000. */
  readonly waitMs: number;
  /** `Payonce-Deadline`: how long the caller waits, in ms; null = as configured. */
  readonly deadlineMs: number | null;
  readonly requestId: string;
}

/** What is sent back: bytes as stored, so that a replay is the same to the byte. */
export interface StoredAnswer {
  readonly status: number;
  /** JSON text of a payment or refund (status < 400) or of a problem document without `request_id`. */
  readonly body: string;
  readonly replayed: boolean;
}

export interface PaymentFilter {
  readonly status?: string;
  readonly psp?: string;
  readonly reference?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** The payment as the API shows it; field names are the wire's. */
export interface PaymentView {
  readonly object: 'payment';
  readonly id: string;
  readonly reference: string;
  readonly status: PaymentStatus;
  readonly amount: number;
  readonly amount_captured: number;
  readonly amount_refunded: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly psp_reference: string | null;
  readonly entity_key: string;
  readonly routes: readonly { route: number; psp: string; verdict: string; outcome: string | null }[];
  readonly failure: { category: string; code: string; psp_code: string | null; message: string } | null;
  readonly next_action: { type: 'redirect'; url: string } | null;
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

/** The face of the payments room. Every refusal is a thrown `Problem`. */
export interface Payments {
  create(asked: Asked, ask: PaymentAsk): Promise<StoredAnswer>;
  capture(asked: Asked, paymentId: string, ask: CaptureAsk): Promise<StoredAnswer>;
  cancel(asked: Asked, paymentId: string): Promise<StoredAnswer>;
  get(caller: Caller, paymentId: string): Promise<PaymentView>;
  list(
    caller: Caller,
    filter: PaymentFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<PaymentView>>;
  attempts(caller: Caller, paymentId: string): Promise<Page<AttemptView>>;
  refund(asked: Asked, paymentId: string, ask: RefundAsk): Promise<StoredAnswer>;
  getRefund(caller: Caller, refundId: string): Promise<RefundView>;
  listRefunds(
    caller: Caller,
    paymentId: string,
    limit: number,
    cursor: string | null,
  ): Promise<Page<RefundView>>;
}
