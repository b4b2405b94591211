import { type Money } from '../core/money.js';
import { type DebitMandate, type MethodName, type MethodOffer } from './payment-method.js';

/**
 * The contract between Payonce and a PSP. An adapter translates and decides nothing. It
 * declares the PSP's promises as data (`Capabilities`), and request storage decides from them.
 */

/** An effect that must happen at most once. */
export type Operation = 'charge' | 'authorize' | 'capture' | 'void' | 'refund' | 'payout';

/** The purpose of one call on the wire. */
export type AttemptKind = 'execute' | 'lookup' | 'cancel' | 'complete';

/**
 * The result of one attempt.
 *
 * - `succeeded`        the PSP did it (for a lookup: reports that it did it before)
 * - `declined`         the PSP or the issuer refused; `decline` says why and which other PSP may be tried
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
  /** capture: the authorization expired, or was voided at the PSP. */
  | 'authorization_canceled'
  /** payout: the bank account is closed, does not exist, or is not the recipient's. */
  | 'account_invalid'
  | 'declined';

export type DeclineAdvice = 'elsewhere' | 'authenticate' | 'never';

/** The action that the customer must take before the PSP continues. */
export type NextAction =
  | {
      readonly type: 'redirect';
      /** The address to send the customer's browser to. */
      readonly url: string;
      readonly method: 'GET' | 'POST';
      /** The form to send with it; empty for GET. */
      readonly fields: Readonly<Record<string, string>>;
    }
  /** An action for the PSP's own library in the browser or app. */
  | {
      readonly type: 'psp_sdk';
      /** The PSP's object, as it came. */
      readonly data: Readonly<Record<string, unknown>>;
    };

/** A PSP's answer in our terms. Contains no secret: it is stored and shown. */
export interface Answer {
  readonly outcome: Outcome;
  /** The PSP's own id of the object (pi_…, pspReference), where it gave one. */
  readonly pspReference?: string;
  /** conflict: the ids of all objects that carry our names for this route, where there are several. */
  readonly pspReferences?: readonly string[];
  /** The PSP's own code of the result, verbatim (decline_code, refusalReasonCode, error code). */
  readonly pspCode?: string;
  /** For people; already redacted, at most 200 characters. */
  readonly message?: string;
  readonly httpStatus?: number;
  readonly decline?: DeclineCategory;
  readonly nextAction?: NextAction;
  /** How long the PSP asked us to wait, in ms. */
  readonly retryAfterMs?: number;
  /** The object that the answer is about carries our own name of this operation. */
  readonly isNamed?: true;
  /** A failure that the PSP stored for this key before: this request itself made nothing. */
  readonly isReplay?: true;
  /** The amount that the PSP reports; a difference from the request is a `conflict`. */
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
   * If the PSP stores our names with its objects, the object of this route also gets the route's key, so that
   * a lookup finds it by the key. Absent for routes opened by older versions: their resends keep their bytes.
   */
  readonly carriesKey?: true;
  readonly money: Money;
  /** charge, authorize: the PSP's own token of the payment method; payout: of the recipient's account. */
  readonly token?: string;
  /** capture, void, refund: the PSP's id of the payment. */
  readonly parentReference?: string;
  /** The PSP's id of the object that this route made, once known. */
  readonly pspReference?: string;
  /**
   * cancel: the PSP has reported the effect, and `pspReference` is its object. The adapter must undo it in
   * any state that it may have now: void it, or refund it if money has moved.
   */
  readonly undo?: true;
  /** The merchant's reference of the payment or payout (an order number). */
  readonly reference: string;
  readonly statementDescriptor?: string;
  readonly returnUrl?: string;
  readonly customer?: { readonly reference?: string; readonly email?: string };
  /** complete: the parameters of the customer's return, unchanged. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** charge, authorize: the PSP's own id of the customer that the token belongs to. */
  readonly pspCustomer?: string;
  /** charge, authorize: who initiates the payment. Absent: the customer. */
  readonly initiator?: 'merchant';
  /** charge, authorize: the way to pay. Absent: a card. */
  readonly method?: Exclude<MethodName, 'card'>;
  /** charge by bank debit: the payer's consent, where the request brings it. */
  readonly mandate?: DebitMandate;
  /**
   * When each execute of this route was started that can have made its object, oldest first; a lookup by time looks at
   * those times. None where a replay tells of an execute that no row is left of: its time is not known.
   */
  readonly sentAt?: readonly Date[];
}

/**
 * How a PSP treats idempotency keys.
 * `replays`: 'all' = any answer once execution began, errors included; 'id' = a repeat makes nothing, and is told the id of
 * what the key made, not what has become of it; 'success' = only 2xx, after an error the same key EXECUTES AGAIN;
 * 'latest' = a repeat makes nothing, and is answered with what has become of it since; 'none' = no keys at all.
 */
export interface IdempotencyCapability {
  /** How long a key is remembered, from its first use; null = no keys. */
  readonly windowMs: number | null;
  readonly replays: 'all' | 'id' | 'latest' | 'success' | 'none';
}

export interface LookupCapability {
  /** A lookup searches by our reference, or only by the PSP's id once we know it. */
  readonly by: 'reference' | 'id';
  /** 'strong': "not found" proves that nothing has arrived. 'eventual': the PSP may show it later. */
  readonly consistency: 'strong' | 'eventual';
  /** So long after an execute without an answer, its request can no longer reach the PSP. */
  readonly settlesAfterMs: number;
  /**
   * The same after an execute that was answered with a server error (5xx), which the PSP may still finish or
   * correct by hand. Absent: as without an answer.
   */
  readonly settlesAfterServerErrorMs?: number;
}

export interface Capabilities {
  readonly operations: readonly Operation[];
  /** null = every currency. ISO 4217 codes. */
  readonly currencies: readonly string[] | null;
  /** charge, authorize: the payment methods that it takes, and what each needs. */
  readonly methods: Readonly<Partial<Record<MethodName, MethodOffer>>>;
  readonly idempotency: IdempotencyCapability;
  /** null = the PSP offers no lookup. */
  readonly lookup: LookupCapability | null;
  /**
   * Whether an unknown payment can be voided: by our own reference, only by the PSP's id, or not.
   */
  readonly cancel: 'reference' | 'id' | null;
  /**
   * A cancel by reference is answered alike whether it voided something or nothing was there, and stops nothing that
   * arrives later: so long after an execute without an answer, its answer proves that nothing was done. Absent: what
   * is canceled stays so, whenever it is canceled.
   */
  readonly cancelProvesAfterMs?: number;
  /**
   * True if the PSP hands back this name for the operation with this entity key. Absent: names come back as
   * they were sent.
   */
  readonly isOwnName?: (entityKey: string, handedBack: string) => boolean;
  /**
   * After a `requires_action` the PSP continues only when it gets the parameters of the customer's return.
   * Absent: it learns the customer's action by itself. `repeatable`: the same details may be sent again and
   * get the first answer, within the window of `idempotency`.
   */
  readonly completion?: { readonly repeatable: boolean };
  /** The PSP only acknowledges a cancel by reference; a notification brings its result. */
  readonly cancelIsOrder?: true;
  /**
   * How an authorization can be captured: only as a whole, once and possibly in part (the rest is
   * released), or in several parts.
   */
  readonly captures: 'whole' | 'one' | 'several';
  /**
   * How long the PSP may take to finish an accepted operation, if longer than the schedule of follow-ups;
   * after that the operation is stuck.
   */
  readonly answersWithinMs?: number;
  /** The promises for one operation that differ from those for all. */
  readonly of?: Readonly<Partial<Record<Operation, Partial<Pick<Capabilities, 'idempotency' | 'lookup'>>>>>;
}

/** Whether nothing is made twice under one key, whatever became of the first request. */
export function makesOnce({ replays }: IdempotencyCapability): boolean {
  return replays === 'all' || replays === 'id' || replays === 'latest';
}

/** Passed to an adapter with every call: when to give up, and whether the call may still be made. */
export interface CallContext {
  /** Aborted when the call is given up. */
  readonly signal: AbortSignal;
  /** The same without a signal, which would cost more than the rest of a deadline. Returns the function that stops listening. */
  readonly onGivenUp: (listener: (reason: Error) => void) => () => void;
  readonly timeoutMs: number;
  /** Asked once the connection stands, right before the request is written. */
  readonly leaseStillValid: () => boolean;
}

/**
 * One PSP account. Each method resolves with an answer for every response of the PSP, and may
 * throw for failures below that (network, parsing): the caller turns an exception into `unknown`,
 * unless it is proved that no byte left.
 */
export interface PspAdapter {
  readonly capabilities: Capabilities;
  execute(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Only called where `capabilities.lookup` allows it. */
  lookup?(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Only called where `capabilities.cancel` allows it, of a charge or an authorization, and with the id that it needs. */
  cancel?(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Only called if `capabilities.completion` exists. */
  complete?(instruction: Instruction, call: CallContext): Promise<Answer>;
  /** Frees sockets. */
  close(): Promise<void>;
}

/** PSPs as request storage uses them: one guarded call, and the promises of each PSP. */
export interface Psps {
  /** False for an account that was taken out of the configuration. */
  has(psp: string): boolean;
  capabilities(psp: string): Capabilities;
  /** Identifies the account behind the name, as this operation uses it; see `accountFingerprint()`. */
  fingerprint(psp: string, operation: Operation): string;
  /** Whether the account takes operations of this merchant that have not begun there. */
  mayBegin(psp: string, merchantId: string): boolean;
  /** The longest a call to this PSP can take, in ms. */
  timeoutMs(psp: string): number;
  /**
   * Never throws. Every failure is an answer: `not_sent` if proved, else `unknown`. `leaseStillValid` is
   * called first, and again when the connection is open, right before the request is written: a process
   * that was paused in between, or waited for the connection, finds that its lock ends before the call
   * would, and sends nothing (`lock_too_old`).
   */
  call(
    psp: string,
    kind: AttemptKind,
    instruction: Instruction,
    leaseStillValid: () => boolean,
  ): Promise<Answer>;
}
