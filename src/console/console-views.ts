import {
  type SnoozeView,
  type FileView,
  type ApprovalView,
  type PspWord,
} from '../approvals/approval-views.js';

/**
 * Answers of the console's API. The pages in console/ are typed by views such as these, and import nothing else of the
 * service. Times are RFC 3339, amounts minor units.
 */

export interface PaymentRow {
  readonly id: string;
  readonly merchant: string;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly created_at: string;
}

/** An operation whose outcome is not known yet. */
export interface OpenRow {
  readonly merchant_id: string;
  readonly merchant: string;
  /** Given by the merchant to its payment or payout. */
  readonly reference: string;
  readonly payment_id: string | null;
  readonly payout_id: string | null;
  readonly entity_key: string;
  readonly route: number;
  readonly psp: string;
  readonly amount: number;
  readonly currency: string;
  readonly opened_at: string;
  /** null while it is tried again by itself. */
  readonly stuck_at: string | null;
  readonly reason: string | null;
  readonly next_step_at: string | null;
  readonly last_outcome: string | null;
  readonly snoozed_until: string | null;
  readonly owner: string | null;
  /** An act on it waits for a second person. */
  readonly waits_for_approval: boolean;
}

export interface AttemptRow {
  readonly attempt: number;
  readonly kind: string;
  readonly outcome: string | null;
  readonly psp_code: string | null;
  readonly http_status: number | null;
  readonly latency_ms: number | null;
  readonly started_at: string;
  /** Redacted, as it is stored. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>> | null;
}

export interface RouteRow {
  readonly route: number;
  readonly psp: string;
  readonly psp_reference: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly verdict: 'open' | 'effective' | 'ruled_out';
  readonly opened_at: string;
  readonly decided_at: string | null;
  readonly next_step_at: string | null;
  readonly stuck_at: string | null;
  readonly stuck_reason: string | null;
  readonly psp_word: PspWord | null;
  /** The PSP's words against a person's statement that it did it, and that it did not; null: none. */
  readonly against: { readonly done: string | null; readonly 'not-done': string | null };
  readonly attempts: readonly AttemptRow[];
}

export interface OperationRow {
  readonly snooze: SnoozeView | null;
  readonly entity_key: string;
  readonly operation: string;
  readonly routes: readonly RouteRow[];
}

/** `good`, `bad`, `doubt`: how it went; `plain`: neither. */
export type Tone = 'good' | 'bad' | 'doubt' | 'plain';

/** Something that happened to a payment. */
export interface TimelineEntry {
  readonly at: string;
  readonly what: 'request' | 'state' | 'call' | 'notice' | 'person' | 'route' | 'proof' | 'ledger' | 'event';
  readonly title: string;
  readonly detail: string | null;
  readonly tone: Tone;
  readonly actor: string | null;
  readonly duration_ms: number | null;
  /** Behind a click. */
  readonly raw: Readonly<Record<string, unknown>> | null;
}

export interface PaymentPageView {
  readonly payment: PaymentRow & {
    readonly merchant_id: string;
    readonly customer: string | null;
    readonly capture_mode: string;
    readonly amount_captured: number;
    readonly amount_refunded: number;
    readonly psp_reference: string | null;
    /** Its page in the PSP's own dashboard. */
    readonly psp_url: string | null;
    readonly failure: { readonly category: string; readonly code: string; readonly message: string } | null;
    readonly updated_at: string;
  };
  /** The order that it is for, and how many payments were tried for that. */
  readonly order: {
    readonly id: string;
    readonly reference: string;
    readonly status: string;
    readonly tries: number;
  } | null;
  /** The past and the next steps, in a few sentences. */
  readonly explained: string;
  readonly timeline: readonly TimelineEntry[];
  readonly operations: readonly OperationRow[];
  readonly refunds: readonly {
    readonly id: string;
    readonly status: string;
    readonly amount: number;
    readonly currency: string;
    readonly created_at: string;
  }[];
  readonly orphans: readonly OrphanRow[];
  readonly files: readonly FileView[];
  readonly approvals: readonly ApprovalView[];
  readonly lifecycle: {
    readonly arrows: readonly (readonly [from: string, to: string])[];
    /** The states that it was in, the present one last. */
    readonly visited: readonly string[];
  };
}

export interface OrderPageView {
  readonly order: {
    readonly id: string;
    readonly merchant: string;
    readonly reference: string;
    readonly status: string;
    readonly currency: string;
    readonly parts: boolean;
    readonly amount_due: number;
    readonly amount_live: number;
    readonly amount_paid: number;
    readonly amount_overpaid: number;
    readonly created_at: string;
  };
  /** The result of the tries, and whether it takes another payment, in a few sentences. */
  readonly explained: string;
  /** The oldest first. */
  readonly tries: readonly (Omit<PaymentRow, 'merchant'> & {
    readonly amount_live: number;
    /** The answers of its PSPs, and how it stands. */
    readonly said: string;
  })[];
  readonly orphans: readonly OrphanRow[];
}

export interface OrphanRow {
  readonly merchant_id: string;
  readonly entity_key: string;
  readonly route: number;
  readonly psp: string;
  readonly psp_reference: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly status: string;
  readonly found_at: string;
}

export interface OverviewView {
  readonly counts: {
    readonly stuck: number;
    readonly snoozed: number;
    readonly open: number;
    readonly approvals: number;
    readonly orphans: number;
    readonly dead_letters: number;
    readonly breaks: number;
  };
  /** Open operations by how long they have been open. */
  readonly open_by_age: readonly { readonly age: string; readonly count: number }[];
  /** The time until which failover is held because commits may have been lost; null: it is not. */
  readonly failover_held_until: string | null;
}
