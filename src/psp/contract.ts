import { type Money } from '../core/money.js';

/**
 * The contract between Payonce and a PSP. An adapter translates; it decides nothing. What a PSP
 * can and cannot promise is declared as data (`Capabilities`), and request storage decides from it.
 */

/** One thing that must happen at most once. */
export type Operation = 'charge' | 'authorize' | 'capture' | 'void' | 'refund' | 'payout';

/** What one call on the wire is for. */
export type AttemptKind = 'execute' | 'lookup' | 'cancel' | 'complete';

/**
 * The result of one attempt.
 *
 * - `succeeded`        the PSP did it (or, for a lookup, says that it did it before)
 * - `declined`         the PSP or the issuer said no; `decline` says why and which other PSP may be tried
 * - `rejected`         our request was refused before anything ran (400, 401, 403, 404, 422)
 * - `throttled`        429, or a 409/503 whose contract says that nothing ran
 * - `not_sent`         no byte of the request left: refused, DNS, TLS, breaker open
 * - `requires_action`  the customer must act (3-D Secure); `nextAction` says where
 * - `pending`          accepted, the result comes later
 * - `not_found`        lookup or cancel: the PSP knows nothing under our reference
 * - `canceled`         lookup or cancel: the PSP confirms that it is void and stays void
 * - `conflict`         the PSP holds another amount or currency than the operation, or knows our
 *                      key with other parameters (`OTHER_PARAMETERS`)
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

/** The `pspCode` of a conflict: our key came to the PSP before, with other parameters. */
export const OTHER_PARAMETERS = 'idempotency_error';

/**
 * Why a payment was declined, in our words. `advice` follows from the category alone
 * (see decline.ts): `elsewhere` another acquirer may be tried; `authenticate` the customer must
 * step up at the same PSP; `never` no PSP is tried again.
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
  /** capture: what was authorized lapsed, or was voided at the PSP. */
  | 'authorization_canceled'
  /** payout: the bank account is closed, does not exist, or is not the recipient's. */
  | 'account_invalid'
  | 'declined';

export type DeclineAdvice = 'elsewhere' | 'authenticate' | 'never';

/** What the customer has to do before the PSP goes on. */
export type NextAction =
  | {
      readonly type: 'redirect';
      /** Where the customer's browser is to be sent. */
      readonly url: string;
      readonly method: 'GET' | 'POST';
      /** The form to send with it; empty for GET. */
      readonly fields: Readonly<Record<string, string>>;
    }
  /** Something that the PSP's own library in the browser or app carries out. */
  | {
      readonly type: 'psp_sdk';
      /** The PSP's object, as it came. */
      readonly data: Readonly<Record<string, unknown>>;
    };

/** What a PSP's answer means, translated. Holds nothing secret: it is stored and shown. */
export interface Answer {
  readonly outcome: Outcome;
  /** The PSP's own id of the object (pi_…, pspReference), where it gave one. */
  readonly pspReference?: string;
  /** conflict: the ids of all objects that carry our names for this route, where there are several. */
  readonly pspReferences?: readonly string[];
  /** The PSP's own code for what happened, verbatim (decline_code, refusalReasonCode, error code). */
  readonly pspCode?: string;
  /** For people; already redacted, at most 200 characters. */
  readonly message?: string;
  readonly httpStatus?: number;
  readonly decline?: DeclineCategory;
  readonly nextAction?: NextAction;
  /** When the PSP asked us to come back later, in ms. */
  readonly retryAfterMs?: number;
  /** The object that the answer is about carries our own name of this operation. */
  readonly isNamed?: true;
  /** What the PSP says it moved; checked against the request, a difference is a `conflict`. */
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
  /**
   * What the route makes carries its key too, where the PSP lets objects carry names of ours, so that it
   * is found by the key. Not of routes that were opened before that: their resends stay the same bytes.
   */
  readonly carriesKey?: true;
  readonly money: Money;
  /** charge, authorize: the PSP's own token of the payment method; payout: of where the money goes. */
  readonly token?: string;
  /** capture, void, refund: the PSP's id of the payment. */
  readonly parentReference?: string;
  /** The PSP's id of what this very route made, once known. */
  readonly pspReference?: string;
  /**
   * cancel: the PSP has said that it did this, and `pspReference` is what it made. What is there is to
   * be undone in every state that it may have now: voided, or given back where money has moved.
   */
  readonly undo?: true;
  /** The merchant's reference of the payment or payout (an order number). */
  readonly reference: string;
  readonly statementDescriptor?: string;
  readonly returnUrl?: string;
  readonly customer?: { readonly reference?: string; readonly email?: string };
  /** complete: what the customer's return handed over, as it came. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** charge, authorize: the PSP's own id of the customer that the token belongs to. */
  readonly pspCustomer?: string;
  /** charge, authorize: who starts the payment. Absent: the customer. */
  readonly initiator?: 'merchant';
  /** When each execute of this route was started, oldest first; a lookup by time looks at those times. */
  readonly sentAt?: readonly Date[];
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
  /** After this long since an execute without an answer, nothing that was on its way can still arrive. */
  readonly settlesAfterMs: number;
  /**
   * The same since an execute that was answered with a server error (5xx), where the PSP may still finish,
   * or put right by hand, what it began. Absent: as without an answer.
   */
  readonly settlesAfterServerErrorMs?: number;
}

export interface Capabilities {
  readonly operations: readonly Operation[];
  /** null = every currency. ISO 4217 codes. */
  readonly currencies: readonly string[] | null;
  readonly idempotency: IdempotencyCapability;
  /** null = the PSP offers no lookup. */
  readonly lookup: LookupCapability | null;
  /**
   * Whether an unknown payment can be voided: by our own reference, only by the PSP's id, or not.
   */
  readonly cancel: 'reference' | 'id' | null;
  /**
   * The PSP goes on after a `requires_action` only when it is given what the customer's return handed over.
   * Absent: it learns by itself what the customer did. `repeatable`: the same details may be handed in
   * again and are answered as they were at first, as long as `idempotency` holds.
   */
  readonly completion?: { readonly repeatable: boolean };
  /** A cancel by reference is only received; its result comes later, in a notification. */
  readonly cancelIsOrder?: true;
  /**
   * What of an authorization can be captured: all of it in one go, less in one go (the rest is
   * released), or parts in several.
   */
  readonly captures: 'whole' | 'one' | 'several';
  /**
   * How long the PSP may take over what it has accepted, where that is longer than the schedule of follow-ups;
   * later it is stuck.
   */
  readonly answersWithinMs?: number;
}

/** Given to an adapter with every call: when to give up, and whether it may be made at all. */
export interface CallContext {
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
  /** The same without a signal, which costs more than the rest of a deadline. Returns what stops listening. */
  readonly onGivenUp: (listener: (reason: Error) => void) => () => void;
  readonly timeoutMs: number;
  /** Asked once the connection stands, right before the request is written. */
  readonly leaseStillValid: () => boolean;
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
  /** Only called where `capabilities.completion` is there. */
  complete(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Frees sockets. */
  close(): Promise<void>;
}

/** What request storage needs of PSPs: one guarded call, and what each PSP promises. */
export interface Psps {
  /** False for an account that was taken out of the configuration. */
  has(psp: string): boolean;
  capabilities(psp: string): Capabilities;
  /** Which account the name stands for; see `accountFingerprint()`. */
  fingerprint(psp: string): string;
  /** Whether the account takes operations of this merchant that have not begun there. */
  mayBegin(psp: string, merchantId: string): boolean;
  /** The longest a call to this PSP can take, in ms. */
  timeoutMs(psp: string): number;
  /**
   * Never throws. Every failure is an answer: `not_sent` where proved, else `unknown`. `mayStill` is
   * asked before anything is done, and once more when the connection stands, right before the request is
   * written: a process that stood still in between, or waited for the connection, finds that its lock no
   * longer outlives the call, and sends nothing (`lock_too_old`).
   */
  call(
    psp: string,
    kind: AttemptKind,
    instruction: Instruction,
    leaseStillValid: () => boolean,
  ): Promise<Answer>;
}
