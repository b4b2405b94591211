import { type Money } from '../kernel/index.js';

/**
 * The contract between Payonce and a PSP. An adapter translates; it decides nothing. What a PSP
 * can and cannot promise is declared as data (`Capabilities`), and request storage decides from it.
 */

/** One thing that must happen at most once. */
export type Operation = 'charge' | 'authorize' | 'capture' | 'void' | 'refund' | 'payout';

/** What one call on the wire is for. */
export type AttemptKind = 'execute' | 'lookup' | 'cancel';

/**
 * What one attempt told us.
 *
 * - `succeeded`        the PSP did it (or, for a lookup, says that it did it before)
 * - `declined`         the PSP or the issuer said no; `decline` says why and who else may be asked
 * - `rejected`         our request was refused before anything ran (400, 401, 403, 404, 422)
 * - `throttled`        429, or a 409/503 whose contract says that nothing ran
 * - `not_sent`         no byte of the request left: refused, DNS, TLS, breaker open
 * - `requires_action`  the customer must act (3-D Secure); `nextAction` says where
 * - `pending`          accepted, the result comes later
 * - `not_found`        lookup or cancel: the PSP knows nothing under our reference
 * - `canceled`         lookup or cancel: the PSP confirms that it is void and stays void
 * - `conflict`         the PSP holds something else than we asked for (amount, currency)
 * - `unknown`          anything else: timeout, reset, 5xx, an answer that cannot be parsed
 */
export const outcomes = [
  'succeeded',
  'declined',
  'rejected',
  'throttled',
  'not_sent',
  'requires_action',
  'pending',
  'not_found',
  'canceled',
  'conflict',
  'unknown',
] as const;
export type Outcome = (typeof outcomes)[number];

/**
 * Why a payment was declined, in our words. `advice` follows from the category alone
 * (see decline.ts): `elsewhere` another acquirer may be asked; `authenticate` the customer must
 * step up at the same PSP; `never` nobody is asked again.
 */
export type DeclineCategory =
  | 'do_not_honor'
  | 'try_again_later'
  | 'issuer_unavailable'
  | 'processing_error'
  | 'not_supported'
  | 'authentication_required'
  | 'insufficient_funds'
  | 'card_expired'
  | 'card_invalid'
  | 'card_lost_or_stolen'
  | 'card_restricted'
  | 'cvc_invalid'
  | 'pin_invalid'
  | 'limit_exceeded'
  | 'fraud_suspected'
  | 'revoked'
  | 'blocked'
  /** payout: the bank account is closed, does not exist, or is not the recipient's. */
  | 'account_invalid'
  | 'declined';

export type DeclineAdvice = 'elsewhere' | 'authenticate' | 'never';

export interface NextAction {
  readonly type: 'redirect';
  /** Where the customer's browser is to be sent. */
  readonly url: string;
}

/** What a PSP's answer means, translated. Holds nothing secret: it is stored and shown. */
export interface Answer {
  readonly outcome: Outcome;
  /** The PSP's own id of the object (pi_…, pspReference), where it told one. */
  readonly pspReference?: string;
  /** The PSP's own code for what happened, verbatim (decline_code, refusalReasonCode, error code). */
  readonly pspCode?: string;
  /** For people; already scrubbed, at most 200 characters. */
  readonly message?: string;
  readonly httpStatus?: number;
  readonly decline?: DeclineCategory;
  readonly nextAction?: NextAction;
  /** When the PSP asked us to come back later, in ms. */
  readonly retryAfterMs?: number;
  /** What the PSP says it moved; checked against what was asked, a difference is a `conflict`. */
  readonly money?: Money;
}

/** Everything an adapter needs to build one request; the same for every resend of a route. */
export interface Instruction {
  readonly operation: Operation;
  /** Deterministic name of the operation, `payment-<id>-charge`. Sent to the PSP as our reference. */
  readonly entityKey: string;
  /** Which route of the entity key this is, from 1. */
  readonly route: number;
  /** The key to send to the PSP: the same for every execute of this route, at most 64 characters. */
  readonly idempotencyKey: string;
  readonly money: Money;
  /** charge, authorize: the PSP's own token of the payment method; payout: of where the money goes. */
  readonly token?: string;
  /** capture, void, refund: the PSP's id of the payment. */
  readonly parentReference?: string;
  /** The PSP's id of what this very route made, once known. */
  readonly pspReference?: string;
  /**
   * cancel: the PSP has said that it did this, and `pspReference` is what it made. What is there is to
   * be undone, whatever has become of it since: voided, or given back where money has moved.
   */
  readonly undo?: true;
  /** The merchant's reference of the payment or payout (an order number). */
  readonly reference: string;
  readonly statementDescriptor?: string;
  readonly returnUrl?: string;
  readonly customer?: { readonly reference?: string; readonly email?: string };
  /** When the first execute of this route was started; bounds a lookup by time. */
  readonly firstSentAt?: Date;
  /** When the latest execute of this route was started; with it a lookup by time needs fewer pages. */
  readonly lastSentAt?: Date;
}

/**
 * How a PSP treats idempotency keys.
 * `replays`: 'all' = any answer once execution began, errors included; 'success' = only 2xx, after
 * an error the same key EXECUTES AGAIN; 'none' = no keys at all.
 */
export interface IdempotencyCapability {
  /** How long a key is remembered, from its first use; null = no keys. */
  readonly windowMs: number | null;
  readonly replays: 'all' | 'success' | 'none';
}

export interface LookupCapability {
  /** What a lookup searches by: our reference, or only the PSP's id once we know it. */
  readonly by: 'reference' | 'id';
  /** 'strong': "not found" is the truth about what has arrived. 'eventual': it may merely be late. */
  readonly consistency: 'strong' | 'eventual';
  /** After this long since the last execute, nothing that was on its way can still arrive. */
  readonly settlesAfterMs: number;
}

export interface Capabilities {
  readonly operations: readonly Operation[];
  /** null = every currency. ISO 4217 codes. */
  readonly currencies: readonly string[] | null;
  readonly idempotency: IdempotencyCapability;
  /** null = the PSP cannot be asked. */
  readonly lookup: LookupCapability | null;
  /**
   * Whether an unknown payment can be voided: by our own reference, only by the PSP's id, or not.
   */
  readonly cancel: 'reference' | 'id' | null;
  /** A cancel by reference is only received; what came of it is told later, by a notification. */
  readonly cancelIsOrder?: true;
  /**
   * What of an authorization can be captured: all of it in one go, less in one go (the rest is
   * released), or parts in several.
   */
  readonly captures: 'whole' | 'one' | 'several';
}

/** Given to an adapter with every call: when to give up. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * One PSP account. Verbs resolve with an answer for everything the PSP said; they may throw for
 * everything that went wrong below that (network, parsing): the caller's guard makes `unknown` of
 * any throw, unless it is proved that no byte left.
 */
export interface PspAdapter {
  readonly capabilities: Capabilities;
  execute(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Only called where `capabilities.lookup` allows it. */
  lookup(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Only called where `capabilities.cancel` allows it. */
  cancel(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Frees sockets. */
  close(): Promise<void>;
}

/** What request storage needs of the outside world: one guarded call, and what each PSP promises. */
export interface Psps {
  /** False for an account that was taken out of the configuration. */
  has(psp: string): boolean;
  capabilities(psp: string): Capabilities;
  /** The longest a call to this PSP can take, in ms. */
  timeoutMs(psp: string): number;
  /**
   * Never throws. Every failure is an answer: `not_sent` where proved, else `unknown`. `mayStill` is
   * asked last of all, right before the request leaves: a process that stood still in between finds
   * that its lock no longer outlives the call, and sends nothing (`lock_too_old`).
   */
  call(psp: string, kind: AttemptKind, instruction: Instruction, mayStill: () => boolean): Promise<Answer>;
}
