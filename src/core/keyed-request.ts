import { actorOf, type Caller } from './caller.js';

/** How a request that moves money was made: who, under which key, and how long they wait. */
export interface RequestContext {
  readonly caller: Caller;
  /** The Idempotency-Key, unquoted. */
  readonly key: string;
  /** `Prefer: wait=<seconds>` in ms; 0 where absent. At most 60,000. */
  readonly waitMs: number;
  /** `Payonce-Deadline`: how long the caller waits, in ms; null = as configured. */
  readonly deadlineMs: number | null;
  readonly requestId: string;
}

/** A request as it reaches an operation. */
export interface KeyedRequest<Input> {
  readonly merchantId: string;
  readonly key: string;
  readonly actor: string;
  readonly traceId: string;
  /** The address that it came from. */
  readonly sourceAddress?: string | undefined;
  /** The parsed and validated request; its hash is the fingerprint. */
  readonly input: Input;
  /** How long to wait for a request that runs under the same key, in ms; 0 = not at all. */
  readonly waitMs: number;
  /** How long the caller waits, in ms from now; absent or null = `IdempotentRunnerOptions.deadlineMs`. */
  readonly deadlineMs?: number | null;
}

/** The answer that is stored under an Idempotency-Key. */
export interface KeyedAnswer {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
}

/** The request as the runner takes it. */
export function keyedRequest<Input>(
  { caller, key, waitMs, deadlineMs, requestId }: RequestContext,
  input: Input,
): KeyedRequest<Input> {
  const { merchantId, sourceAddress } = caller;
  const actor = actorOf(caller);
  return { merchantId, key, waitMs, deadlineMs, input, actor, sourceAddress, traceId: requestId };
}
