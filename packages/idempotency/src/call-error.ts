/**
 * | code                     | the handler                                           | what to do                         |
 * | ------------------------ | ----------------------------------------------------- | ---------------------------------- |
 * | `idempotency_key_invalid`| was not run                                           | mend the caller                    |
 * | `request_not_hashable`   | was not run                                           | mend the caller                    |
 * | `idempotency_key_reused` | was not run: the key is that of other parameters      | mend the caller                    |
 * | `request_in_progress`    | was not run by this call, another is running it       | ask again after `lockedForMs`      |
 * | `store_unavailable`      | was not run by this call                              | ask again                          |
 * | `record_unreadable`      | was not run: what is stored is not of this package    | a person                           |
 * | `answer_not_kept`        | has run, once; its answer could not be stored exactly | mend the handler; do not ask again |
 * | `done_not_recorded`      | has run; nothing remembers that for certain           | find out before asking again       |
 */
export type CallErrorCode =
  | 'idempotency_key_invalid'
  | 'request_not_hashable'
  | 'idempotency_key_reused'
  | 'request_in_progress'
  | 'store_unavailable'
  | 'record_unreadable'
  | 'answer_not_kept'
  | 'done_not_recorded';

/** A call that was not answered. Neither the id nor the request are in it: they may be private. */
export class IdempotentCallError extends Error {
  override readonly name: string = 'IdempotentCallError';

  constructor(
    readonly code: CallErrorCode,
    readonly operation: string,
    detail: string,
    more: { readonly cause?: unknown } = {},
  ) {
    super(`${operation}: ${detail} (${code})`, more);
  }
}

/** Another call with this key is running its handler. */
export class CallInProgress extends IdempotentCallError {
  override readonly name = 'CallInProgress';

  /** `lockedForMs`: how long its lock lasts if its holder does not extend it. */
  constructor(
    operation: string,
    readonly lockedForMs: number,
  ) {
    super('request_in_progress', operation, 'a call with this key is still running');
  }
}

/** The handler ran to its end, and later calls will not get its answer, or may not. */
export class HandlerHasRun extends IdempotentCallError {
  override readonly name = 'HandlerHasRun';
  readonly #answer: unknown;

  constructor(
    code: 'answer_not_kept' | 'done_not_recorded',
    operation: string,
    detail: string,
    more: { readonly answer?: unknown; readonly cause?: unknown } = {},
  ) {
    super(code, operation, detail, 'cause' in more ? { cause: more.cause } : {});
    this.#answer = more.answer;
  }

  /**
   * What the handler returned, for the call that ran it; undefined for later ones. It is private to
   * the object, so that code that logs the error does not log the answer.
   */
  get answer(): unknown {
    return this.#answer;
  }
}
