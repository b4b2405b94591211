import { type Problem, type ProblemCode } from './api.js';

/** What every error of a call has. */
export interface CallFacts {
  /** The key that every try carried, to ask again with; null for calls that change nothing. */
  readonly idempotencyKey: string | null;
  /**
   * False where any try may have reached the service and its answer is not known: the money may have
   * moved. Ask again with the same key and the same request. Calls that change nothing are always known.
   */
  readonly outcomeKnown: boolean;
  /** How many requests were sent. */
  readonly tries: number;
}

/** Whatever a call fails with is one of the classes below. */
export abstract class PayonceError extends Error implements CallFacts {
  readonly idempotencyKey: string | null;
  readonly outcomeKnown: boolean;
  readonly tries: number;

  constructor(message: string, { idempotencyKey, outcomeKnown, tries }: CallFacts, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.idempotencyKey = idempotencyKey;
    this.outcomeKnown = outcomeKnown;
    this.tries = tries;
  }
}

/** The service refused, or could not: its problem document (RFC 9457). Program against `code`. */
export class ApiError extends PayonceError {
  // Written out in every class: a bundler may rename the classes themselves.
  override readonly name = 'ApiError';
  /** A service that is newer than this client may have codes of which it does not know. */
  readonly code: ProblemCode | (string & {});
  readonly title: string;
  readonly detail: string;
  /** What is wrong where, for `validation_failed` and `card_number_refused`. */
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
  /** The payment there is, for `probable_duplicate`. */
  readonly paymentId: string | null;
  /** The refund there is, for `refund_exists` and `refund_reversed`. */
  readonly refundId: string | null;
  /** The payout to read first, for `payout_in_progress` and `payout_sequence_stale`. */
  readonly payoutId: string | null;

  constructor(
    readonly status: number,
    problem: Pick<Problem, 'title' | 'detail' | 'errors'> & {
      readonly code: string;
      readonly paymentId: string | null;
      readonly refundId: string | null;
      readonly payoutId: string | null;
    },
    /** Quote it when you ask for help. */
    readonly requestId: string | null,
    /** What `Retry-After` asked for. */
    readonly retryAfterMs: number | null,
    facts: CallFacts,
  ) {
    const [first] = problem.errors ?? [];
    const where = first === undefined ? '' : ` ${first.pointer} ${first.message}`;
    super(`${problem.code} (${status}): ${problem.detail}${where}`, facts);
    this.code = problem.code;
    this.title = problem.title;
    this.detail = problem.detail;
    this.errors = problem.errors ?? [];
    this.paymentId = problem.paymentId;
    this.refundId = problem.refundId;
    this.payoutId = problem.payoutId;
  }
}

/** No answer: not connected, the connection was cut, or a try took longer than it may. */
export class ConnectionError extends PayonceError {
  override readonly name = 'ConnectionError';

  constructor(
    readonly reason: 'network' | 'timeout',
    facts: CallFacts,
    cause?: unknown,
  ) {
    super(
      reason === 'timeout' ? 'no answer within the time of a try' : 'the connection failed',
      facts,
      cause,
    );
  }
}

/** An answer that Payonce does not give: a proxy's page, a redirect, JSON that was cut short. */
export class UnexpectedAnswerError extends PayonceError {
  override readonly name = 'UnexpectedAnswerError';

  constructor(
    readonly status: number,
    readonly requestId: string | null,
    facts: CallFacts,
  ) {
    super(`an answer of status ${status} that is not one of Payonce's`, facts);
  }
}

/**
 * The deadline has passed, or the next try would have to wait past it. `outcomeKnown` is false
 * unless every try was surely turned away; `cause` is how the last one failed.
 */
export class DeadlineError extends PayonceError {
  override readonly name = 'DeadlineError';

  constructor(
    readonly deadlineMs: number,
    facts: CallFacts,
    cause: PayonceError,
  ) {
    const known = facts.outcomeKnown ? '' : '; the outcome is not known, ask again with the same key';
    super(`no answer that could be used within ${deadlineMs} ms${known}`, facts, cause);
  }
}

/** The caller's own signal was aborted; its reason is the `cause`. */
export class AbortedError extends PayonceError {
  /** Not the name of the class, but what code that handles any aborted fetch looks for. */
  override readonly name = 'AbortError';

  constructor(facts: CallFacts, reason: unknown) {
    super('the call was aborted', facts, reason);
  }
}
