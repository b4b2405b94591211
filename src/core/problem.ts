/**
 * Errors with stable codes. A client programs against `code`; `title` is fixed per code and
 * `detail` speaks of this occurrence. Presented as RFC 9457 problem details by the API.
 */
const catalogue = {
  validation_failed: [422, 'The request is not valid'],
  card_number_refused: [422, 'A card number was sent; only PSP tokens are accepted'],
  body_malformed: [400, 'The body is not readable JSON'],
  request_malformed: [400, 'The request is not readable HTTP'],
  request_timeout: [408, 'The request did not arrive in time'],
  headers_too_large: [431, 'The headers are too large'],
  body_too_large: [413, 'The body is too large'],
  unsupported_media_type: [415, 'The body must be application/json'],
  idempotency_key_missing: [400, 'An Idempotency-Key header is required'],
  idempotency_key_invalid: [400, 'The Idempotency-Key header is not valid'],
  idempotency_key_reused: [422, 'The Idempotency-Key was used for another request'],
  request_in_progress: [409, 'A request with this Idempotency-Key is still running'],
  unauthorized: [401, 'Credentials are missing or not valid'],
  signature_invalid: [401, 'The notification is not signed with a secret of this account'],
  forbidden: [403, 'These credentials may not do this'],
  not_found: [404, 'No such object'],
  method_not_allowed: [405, 'This method is not allowed here'],
  invalid_state: [409, 'The state of the object does not allow this'],
  details_refused: [422, 'The PSP did not take these details'],
  capture_in_parts_unsupported: [409, 'The PSP captures an authorization once'],
  amount_exceeds_authorized: [409, 'The amount is larger than what was authorized'],
  amount_exceeds_refundable: [409, 'The amount is larger than what can still be refunded'],
  refund_exists: [409, 'There is another refund of this name'],
  refund_reversed: [409, 'The refund of this name failed after the PSP had done it'],
  too_many_operations: [409, 'The payment has had as many operations as one may have'],
  payment_disputed: [409, 'What is to be refunded is disputed'],
  probable_duplicate: [409, 'There is another payment just like this one'],
  order_paid: [409, 'The order is paid'],
  order_in_doubt: [409, 'Another payment of the order is not decided yet'],
  order_changed: [409, 'The order stands with another amount or currency'],
  amount_exceeds_order: [409, 'The amount is larger than what is left to pay of the order'],
  payout_in_progress: [409, 'A payout to this recipient has not ended yet'],
  payout_sequence_stale: [409, 'previous is not the last payout to this recipient that ended'],
  payout_limit_exceeded: [409, 'The payout is more than the merchant may pay out in a day'],
  recipient_not_registered: [409, 'The merchant has not registered this recipient with these tokens'],
  recipient_not_approved: [409, 'Nobody has approved this recipient yet'],
  webhook_target_refused: [422, 'Events are not sent to this address'],
  webhook_endpoint_limit: [409, 'No more webhook endpoints can be enabled'],
  replay_too_large: [422, 'Too many events to replay at once'],
  psp_account_changed: [409, 'The PSP account that holds the payment is not configured any more'],
  psp_account_refused: [422, 'A PSP account is named that is not for this merchant'],
  no_route: [422, 'No PSP can take this payment'],
  rate_limited: [429, 'Too many requests'],
  commits_may_be_lost: [
    503,
    'The database may have lost commits; this is not sent before a person has compared',
  ],
  overloaded: [503, 'The service cannot take this request now'],
  internal_error: [500, 'Something went wrong on our side'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof catalogue;

/** A place in the body, as a JSON pointer (RFC 6901), and what is wrong there. */
export interface ProblemField {
  readonly pointer: string;
  readonly message: string;
}

/** The members of the problem document; `request_id` is added where the request is known. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly errors?: readonly ProblemField[];
  /** Extension members (RFC 9457, section 3.2). */
  readonly [member: string]: unknown;
}

/** An error that may be shown to a client. Anything else that is thrown becomes `internal_error`. */
export class Problem extends Error {
  readonly status: number;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly more: {
      errors?: readonly ProblemField[];
      /** Members of its own (RFC 9457, section 3.2), named as on the wire; nothing secret. */
      members?: Readonly<Record<string, string | number | null>>;
      /** Seconds, for the Retry-After header. */
      retryAfterS?: number;
      cause?: unknown;
    } = {},
  ) {
    const { stackTraceLimit } = Error;
    // A client that sends too much makes very many of these, and a stack takes longer than the rest of the refusal.
    if (code === 'rate_limited' || code === 'overloaded') Error.stackTraceLimit = 0;
    super(`${code}: ${detail}`, { cause: more.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'Problem';
    this.status = catalogue[code][0];
  }

  document(): ProblemDocument {
    const [status, title] = catalogue[this.code];
    return {
      type: `https://payonce.dev/problems/${this.code}`,
      title,
      status,
      detail: this.detail,
      code: this.code,
      ...this.more.members,
      ...(this.more.errors ? { errors: this.more.errors } : {}),
    };
  }
}

/** Every code with its status and title, for the OpenAPI document and the docs. */
export const problemCatalogue: Readonly<Record<ProblemCode, readonly [number, string]>> = catalogue;

/** The most faults of one request that an answer lists. */
const MAX_FIELDS = 20;

export function invalidFields(errors: readonly ProblemField[]): Problem {
  return new Problem('validation_failed', 'Some of the request does not fit; see errors.', {
    errors: errors.slice(0, MAX_FIELDS),
  });
}
