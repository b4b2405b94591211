import {
  type SnoozeView,
  type FileView,
  type ApprovalView,
  type PspWord,
  type StuckAdviceView,
} from '../approvals/approval-views.js';
import { type MethodName } from '../psp/payment-method.js';

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
  /** null: it is not stuck. */
  readonly stuck_advice: StuckAdviceView | null;
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
    readonly method: MethodName;
    readonly amount_captured: number;
    readonly amount_refunded: number;
    readonly psp_reference: string | null;
    /** Its page in the PSP's own dashboard. */
    readonly psp_url: string | null;
    /** The PSP accounts that routing named when it was made, the preferred first. */
    readonly candidates: readonly string[];
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

export interface WaitingOrphanRow extends OrphanRow {
  readonly merchant: string;
  /** The reference of its payment. */
  readonly reference: string;
  /** The last answer of the PSP to giving it back; null: it was not asked to. */
  readonly said: { readonly outcome: string; readonly psp_code: string | null; readonly at: string } | null;
}

/** A periodic task of the workers. */
export interface TaskRow {
  readonly name: string;
  readonly every_s: number;
  readonly is_running: boolean;
  readonly ended_at: string | null;
  readonly next_at: string | null;
  /** Runs that failed since the last one that did not. */
  readonly failures: number;
}

/** The installation itself. */
export interface HealthView {
  readonly version: string;
  /** The last migration that was run. */
  readonly schema: string;
  readonly postgres: string;
  /** By how much the clocks of this process and of the database differ, in ms. */
  readonly clock_difference_ms: number;
  readonly processes: readonly {
    readonly version: string;
    readonly address: string | null;
    readonly since: string;
  }[];
  readonly hold: string;
  /** Work that waits for workers, without a person. */
  readonly queues: readonly {
    readonly name: string;
    readonly waiting: number;
    readonly oldest_at: string | null;
  }[];
  readonly tasks: readonly TaskRow[];
}

/** Lists of what waits, the most urgent first. `approvals`: asked for by others than the operator who looks. */
export const waitingLists = [
  'stuck',
  'orphans',
  'breaks',
  'disputes',
  'approvals',
  'dead_letters',
  'own_approvals',
  'snoozed',
  'open',
] as const;
export type WaitingList = (typeof waitingLists)[number];

export interface WaitingRow {
  readonly name: WaitingList;
  readonly count: number;
  readonly oldest_at: string | null;
  /** The sum of it in each currency, the commonest first; for breaks of what the two sides differ by. */
  readonly money: readonly { readonly currency: string; readonly amount: number }[];
}

export interface OverviewView {
  /** All lists, the most urgent first. */
  readonly waiting: readonly WaitingRow[];
  /** Open operations by how long they have been open. */
  readonly open_by_age: readonly { readonly age: string; readonly count: number }[];
  /** The time until which failover is held because commits may have been lost, or `infinity`; null: it is not. */
  readonly failover_held_until: string | null;
}
