import { type Clock } from './clock.js';
import {
  ApiError,
  type CallFacts,
  ConnectionError,
  type PayonceError,
  UnexpectedAnswerError,
} from './errors.js';
import { type Fetch } from './options.js';
import { retryAfterMs } from './retry-after.js';

/** A request as it goes out. Every try of a call sends this very one, byte by byte. */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | null;
  /** Whether it is the stored answer of an earlier request with the key. */
  readonly replayed: boolean;
  readonly retryAfterMs: number | null;
}

export interface Failure {
  readonly kind: 'failure';
  readonly retry: boolean;
  /** Whether the service may have acted on it all the same. */
  readonly mayHaveActed: boolean;
  readonly retryAfterMs: number | null;
  /** As it is thrown, if it is. */
  readonly error: (facts: CallFacts) => PayonceError;
}

export interface Limits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/** One try: one request, and what came of it. Never rejects. */
export async function exchange(
  request: Request,
  fetch: Fetch,
  clock: Clock,
  { timeoutMs, signal }: Limits,
): Promise<Answer | Failure> {
  const stop = new AbortController();
  const done = new AbortController();
  let reason: 'network' | 'timeout' = 'network';
  const abort = () => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  const timeOut = async () => {
    await clock.sleep(timeoutMs, done.signal);
    reason = 'timeout';
    stop.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
  };
  // It is ended by `done` where the try is over first.
  timeOut().catch(() => undefined);
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
  });
  try {
    // Raced, so that a try ends in time even where a fetch or the reading of a body does not.
    return await Promise.race([send(request, fetch, clock, stop.signal), stopped]);
  } catch (cause) {
    return {
      kind: 'failure',
      retry: true,
      mayHaveActed: true,
      retryAfterMs: null,
      error: (facts) => new ConnectionError(reason, facts, cause),
    };
  } finally {
    signal?.removeEventListener('abort', abort);
    done.abort();
  }
}

async function send(
  { method, url, headers, body }: Request,
  fetch: Fetch,
  clock: Clock,
  signal: AbortSignal,
): Promise<Answer | Failure> {
  const init = { method, headers: { ...headers }, ...(body === null ? {} : { body }), signal };
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const text = await response.text();
  const header = (name: string) => response.headers.get(name);
  const come: Come = {
    status: response.status,
    json: jsonOf(text),
    requestId: header('request-id'),
    replayed: header('idempotent-replayed') === 'true',
    retryAfterMs: retryAfterMs(header('retry-after'), header('date'), clock.now()),
  };
  return understood(come);
}

interface Come {
  readonly status: number;
  /** Undefined where it is none. */
  readonly json: unknown;
  readonly requestId: string | null;
  readonly replayed: boolean;
  readonly retryAfterMs: number | null;
}

/**
 * What is worth another try: what may be over in a moment (429, every 5xx, a first request with this
 * key that still runs) and answers that were cut short. No other 4xx: it would be the same again.
 */
function understood({ status, json, requestId, replayed, retryAfterMs }: Come): Answer | Failure {
  if (status >= 200 && status < 300 && json !== undefined) {
    return { kind: 'answer', status, body: json, requestId, replayed, retryAfterMs };
  }
  const problem = problemOf(json);
  const inProgress = status === 409 && problem?.code === 'request_in_progress';
  const refused = status >= 400 && status < 500 && !inProgress;
  const redirected = status < 200 || (status >= 300 && status < 400);
  return {
    kind: 'failure',
    retry: (!refused && !redirected) || status === 429,
    mayHaveActed: !refused,
    retryAfterMs,
    error: (facts) =>
      problem && status >= 400
        ? new ApiError(status, problem, requestId ?? problem.requestId, retryAfterMs, facts)
        : new UnexpectedAnswerError(status, requestId, facts),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ReadProblem {
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string | null;
  readonly paymentId: string | null;
  readonly refundId: string | null;
  readonly payoutId: string | null;
  readonly errors: { readonly pointer: string; readonly message: string }[];
}

/** A problem document is known by its `code`; other missing members are left empty. */
function problemOf(json: unknown): ReadProblem | null {
  const members = membersOf(json);
  const { code, title, detail, errors } = members;
  if (typeof code !== 'string') return null;
  return {
    code,
    title: textOf(title) ?? '',
    detail: textOf(detail) ?? '',
    requestId: textOf(members['request_id']),
    paymentId: textOf(members['payment_id']),
    refundId: textOf(members['refund_id']),
    payoutId: textOf(members['payout_id']),
    errors: (Array.isArray(errors) ? errors : []).map((error: unknown) => {
      const { pointer, message } = membersOf(error);
      return { pointer: textOf(pointer) ?? '', message: textOf(message) ?? '' };
    }),
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
