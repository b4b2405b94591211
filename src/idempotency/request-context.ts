import { actorOf, type Caller } from '../merchants/caller.js';

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

/** The request as the runner takes it. */
export function keyedRequest<Input>(
  { caller, key, waitMs, deadlineMs, requestId }: RequestContext,
  input: Input,
) {
  const { merchantId, sourceAddress } = caller;
  const actor = actorOf(caller);
  return { merchantId, key, waitMs, deadlineMs, input, actor, sourceAddress, traceId: requestId };
}
