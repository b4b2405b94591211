import { type Page } from '../core/page.js';
import { type FlowAnswer } from '../idempotency/idempotent-runner.js';
import { type RequestContext } from '../idempotency/request-context.js';
import { type Caller } from '../merchants/caller.js';
import { type Failure } from '../core/failure.js';
import { type RouteView } from '../request-storage/told.js';

/** What a client asks for with POST /v1/payouts, parsed and validated; nothing optional is undefined. */
export interface PayoutAsk {
  readonly reference: string;
  readonly recipient: {
    /** The merchant's name for the recipient; the payouts to it are one sequence. */
    readonly reference: string;
    /** PSP account name to that PSP's own token of the recipient's bank account. At least one. */
    readonly tokens: Readonly<Record<string, string>>;
  };
  /** Minor units, 1 to 2^53 - 1. */
  readonly amount: number;
  readonly currency: string;
  /** The id of the recipient's last payout that ended, in small letters; null for the first one. */
  readonly previous: string | null;
  readonly statementDescriptor: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface PayoutFilter {
  readonly status?: string;
  readonly psp?: string;
  readonly reference?: string;
  readonly recipient?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
}

export const payoutStatuses = ['processing', 'paid', 'failed'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** The payout as the API shows it; field names are the wire's. */
export interface PayoutView {
  readonly object: 'payout';
  readonly id: string;
  readonly reference: string;
  /** The recipient's reference. Never a token. */
  readonly recipient: string;
  readonly status: PayoutStatus;
  readonly amount: number;
  readonly currency: string;
  readonly psp: string | null;
  readonly psp_reference: string | null;
  readonly entity_key: string;
  readonly routes: readonly RouteView[];
  readonly failure: Failure | null;
  readonly previous: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What the controller of payouts calls. Every refusal is a thrown `Problem`. */
export interface Payouts {
  /**
   * 201 with a payout that has ended, 202 with one that has not. Throws `payout_in_progress` and
   * `payout_sequence_stale` where `previous` is not what the recipient's sequence has come to.
   */
  create(asked: RequestContext, ask: PayoutAsk): Promise<FlowAnswer>;
  get(caller: Caller, payoutId: string): Promise<PayoutView>;
  list(caller: Caller, filter: PayoutFilter, limit: number, cursor: string | null): Promise<Page<PayoutView>>;
}
