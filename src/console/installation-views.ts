import { type OperatorRole } from '../core/operator-role.js';
import { type Scope } from '../core/caller.js';
import { type EventType } from '../core/event-types.js';
import { type MerchantSettingsJson } from '../core/merchant-settings.js';
import { type RoutingRule } from '../psp/routing-rule.js';
import { type ApprovalView } from '../approvals/approval-views.js';
import { type OperationRow, type PaymentPageView, type TimelineEntry } from './console-views.js';

/** The views of the pages of PSP accounts, merchants, webhooks and payouts. Amounts are minor units, times RFC 3339. */

export interface PspAccountRow {
  readonly psp: string;
  readonly operations: readonly string[];
  /** null: every currency. */
  readonly currencies: readonly string[] | null;
  readonly timeout_ms: number;
  /** The source of the account: the PSPs file, or stored and changed by administrators. */
  readonly kept_in: 'file' | 'database';
  /** No payment and no payout begins there. */
  readonly disabled: boolean;
  /** How many merchants it is for; null: all. */
  readonly merchants: number | null;
  readonly breaker: {
    readonly state: 'closed' | 'open' | 'held_open';
    /** In how many processes it is open by itself. */
    readonly open_in: number;
    readonly since: string | null;
    /** Who opened or closed it by hand last, and why. */
    readonly changed_by: string | null;
    readonly changed_at: string | null;
    readonly note: string | null;
  };
  /** Calls of the last five minutes. */
  readonly calls: {
    readonly made: number;
    readonly unanswered: number;
    readonly succeeded: number;
    readonly declined: number;
    readonly p50_ms: number | null;
    readonly p95_ms: number | null;
  };
}

/** A stored account; of its credentials the names alone. */
export interface StoredPspRow {
  readonly name: string;
  readonly adapter: string;
  /** Ids; null: it is shared by all. */
  readonly merchants: readonly string[] | null;
  readonly credentials: readonly string[];
  /** Those of its credentials that are no secret, as the name of an account. */
  readonly shown: Readonly<Record<string, string>>;
  readonly base_url: string | null;
  readonly account: string | null;
  readonly test: boolean;
  readonly timeout_ms: number;
  readonly disabled_at: string | null;
  readonly changed_at: string;
}

/** An adapter, and what an account of it is written with. */
export interface AdapterView {
  readonly adapter: string;
  /** The address of the PSP unless an account names another. */
  readonly public_url: string;
  readonly credentials: readonly {
    readonly name: string;
    readonly required: boolean;
    /** It is never shown again. */
    readonly secret: boolean;
  }[];
}

/** The answer of a PSP to a question that changes nothing. */
export interface ConnectionView {
  readonly works: boolean;
  readonly says: string;
}

/** Which PSP would get an example payment, and why. */
export interface RoutingView {
  /** The rule that matches, from 1; null: none does. */
  readonly rule: number | null;
  readonly passed: readonly { readonly rule: number; readonly because: string }[];
  readonly order: readonly string[];
  readonly accounts: readonly {
    readonly psp: string;
    readonly weight: number | null;
    readonly because: string | null;
    readonly breaker: 'closed' | 'open' | 'held_open';
  }[];
}

/** The routing rules of a merchant, or those for all; the first that matches is taken. */
export interface RoutingRulesView {
  readonly rules: readonly RoutingRule[];
  /** They are the merchant's own. */
  readonly is_own: boolean;
  /** Raised by each change; 0 before the first. */
  readonly version: number;
  /** The accounts that they may name. */
  readonly accounts: readonly string[];
  /** Changes by people, the newest first; null: those for all applied again. */
  readonly history: readonly {
    readonly at: string;
    readonly actor: string;
    readonly rules: readonly RoutingRule[] | null;
  }[];
}

export interface RefundRow {
  readonly id: string;
  readonly merchant: string;
  readonly payment_id: string;
  /** The merchant's reference of the payment. */
  readonly payment: string;
  /** The merchant's reference of the refund. */
  readonly reference: string | null;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly reason: string | null;
  readonly failure: string | null;
  readonly created_at: string;
}

export interface DisputeRow {
  readonly id: string;
  readonly merchant: string;
  readonly payment_id: string;
  /** The merchant's reference of the payment. */
  readonly payment: string;
  readonly status: string;
  readonly amount: number;
  /** The part that the PSP holds back, or has taken. */
  readonly amount_withheld: number;
  readonly currency: string;
  readonly psp: string | null;
  /** The PSP's id of it. */
  readonly psp_reference: string;
  readonly reason: string | null;
  /** The time until which the bank takes an answer. */
  readonly respond_by: string | null;
  readonly opened_at: string;
  readonly closed_at: string | null;
}

export interface MerchantRow {
  readonly id: string;
  readonly name: string;
  /** It is the test mode of another one. */
  readonly is_test: boolean;
  readonly settings: MerchantSettingsJson;
  readonly created_at: string;
  readonly keys: number;
  readonly endpoints: number;
  readonly last_payment_at: string | null;
}

/** A setting of a merchant, and what it may be set to. */
export interface SettingView {
  readonly name: string;
  readonly label: string;
  /** The sentence that tells an administrator what the setting does. */
  readonly note: string;
  /** The text to set it by: a number in digits, null as `default`. */
  readonly value: string;
  /** The value for people, to follow the label. */
  readonly words: string;
  /** Each value with its words; null: whole numbers. */
  readonly choices: readonly { readonly value: string; readonly label: string }[] | null;
  /** The words for `default` where a number may be unset; else null. */
  readonly when_unset: string | null;
}

export interface MerchantPageView {
  readonly merchant: MerchantRow;
  readonly settings: readonly SettingView[];
  readonly keys: readonly {
    readonly id: string;
    /** The part of the key that people may see. */
    readonly prefix: string;
    readonly scopes: readonly Scope[];
    /** It is taken only with a client certificate of the merchant. */
    readonly needs_certificate: boolean;
    readonly created_at: string;
    readonly last_used_at: string | null;
    readonly expires_at: string | null;
    readonly revoked_at: string | null;
  }[];
  readonly endpoints: readonly {
    readonly id: string;
    readonly url: string;
    readonly events: readonly EventType[] | null;
    readonly description: string | null;
    readonly disabled_reason: string | null;
    readonly failing_since: string | null;
  }[];
  readonly payout_limits: readonly {
    readonly currency: string;
    /** The scope: all its payouts of a day (UTC), or those to each recipient. */
    readonly per: 'merchant' | 'recipient';
    /** null: any. */
    readonly amount: number | null;
    readonly count: number | null;
  }[];
}

/** A recipient of payouts, as the merchant registered it. */
export interface RecipientRow {
  readonly id: string;
  readonly reference: string;
  readonly status: 'active' | 'waiting_for_approval' | 'removed';
  readonly version: number;
  /** PSP account to the last characters of the token. */
  readonly accounts: Readonly<Record<string, string>>;
  readonly registered_at: string;
  readonly approved_at: string | null;
}

/** A webhook endpoint that was acted on. */
export interface ChangedEndpointView {
  readonly id: string;
  /** The secret of a new endpoint, or a new one: shown this once. */
  readonly secret: string | null;
}

/** A new API key: shown this once. */
export interface NewApiKeyView {
  readonly id: string;
  readonly key: string;
  /** Another one for a key of test mode. */
  readonly merchant_id: string;
  /** For the scope `payouts:write`, which the key does not have until then; null: nothing waits. */
  readonly approval: ApprovalView | null;
}

export interface DeliveryRow {
  readonly merchant_id: string;
  readonly merchant: string;
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly type: string;
  readonly status: string;
  readonly attempts: number;
  readonly http_status: number | null;
  readonly error_code: string | null;
  readonly tried_at: string | null;
  readonly next_at: string | null;
  readonly created_at: string;
  readonly payment_id: string | null;
}

export interface NotificationRow {
  readonly psp: string;
  readonly event_id: string;
  readonly type: string;
  readonly state: string;
  readonly reason: string | null;
  readonly tries: number;
  readonly entity_key: string | null;
  readonly payment_id: string | null;
  readonly payout_id: string | null;
  readonly received_at: string;
  readonly next_at: string | null;
}

export interface PayoutRow {
  readonly id: string;
  readonly merchant: string;
  readonly recipient: string;
  readonly reference: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly created_at: string;
}

export interface PayoutPageView {
  readonly payout: PayoutRow & {
    readonly merchant_id: string;
    readonly psp_reference: string | null;
    readonly failure: { readonly category: string; readonly code: string; readonly message: string } | null;
    /** The payout to this recipient that ended before this one began. */
    readonly previous: string | null;
  };
  readonly explained: string;
  readonly timeline: readonly TimelineEntry[];
  readonly operations: readonly OperationRow[];
  readonly approvals: readonly ApprovalView[];
  readonly lifecycle: PaymentPageView['lifecycle'];
}

/** A file that was made for a bank. */
export interface BankBatchView {
  readonly psp: string;
  readonly number: number;
  readonly file_name: string;
  readonly kind: string;
  readonly state: string;
  readonly due_on: string;
  readonly transactions: number;
  readonly amount: number;
  readonly currency: string;
  readonly answered: number;
  readonly rejected: number;
  readonly formed_at: string;
  readonly sent_at: string | null;
  readonly fault: string | null;
}

/** A file that a bank left. */
export interface BankFileView {
  readonly psp: string;
  readonly name: string;
  readonly state: string;
  readonly ours: number;
  readonly unknown: number;
  readonly received_at: string;
  readonly fault: string | null;
}

/** A customer of a merchant, by what its payments keep. */
export interface CustomerRow {
  readonly merchant: string;
  /** The merchant's reference of the customer. */
  readonly customer: string;
  readonly payments: number;
  readonly captured: number;
  readonly last_payment_id: string;
  readonly last_payment: string;
  readonly last_at: string;
}

/** A person who signs in to the console. */
export interface OperatorRow {
  readonly name: string;
  readonly role: OperatorRole;
  /** The human being, who is the same for several accounts. */
  readonly person: string;
  /** `invited`: without credentials yet. */
  readonly state: 'active' | 'invited' | 'disabled';
  readonly signs_in_by: 'password' | 'provider' | 'link';
  readonly sessions: number;
  readonly last_seen_at: string | null;
  readonly created_at: string;
}
