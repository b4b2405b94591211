import { type Metadata } from '@grpc/grpc-js';
import { type OpenSpan } from '../core/tracing.js';
import { Problem, type ProblemCode, type ProblemDocument } from '../core/problem.js';
import { MAX_DEADLINE_MS, unauthorized } from '../http/headers.js';
import { type KeyedAnswer, type RequestContext } from '../core/keyed-request.js';
import { type Caller } from '../core/caller.js';

/** A call from its first byte to its last: its caller, headers and result. */
export class Call {
  authenticated: Caller | null = null;
  key = '';
  waitS = 0;
  /** Releases its place among the calls in flight; null: it has none. */
  release: (() => void) | null = null;
  isHandled = false;
  /** null: nothing is traced. */
  span: OpenSpan | null = null;
  replayed = false;
  /** For the status of the call and the log. */
  problem: Problem | null = null;

  constructor(
    readonly requestId: string,
    /** How long the client waits from now on, in ms. */
    readonly remainingMs: () => number,
    /** Aborted once the client has its status, or has left. */
    readonly ended: AbortSignal,
  ) {}

  get caller(): Caller {
    if (this.authenticated === null) throw unauthorized();
    return this.authenticated;
  }

  /** How a call that moves money was made. The deadline of the call is the client's patience. */
  get context(): RequestContext {
    const { caller, key, requestId } = this;
    const remainingMs = this.remainingMs();
    const deadlineMs = Number.isFinite(remainingMs)
      ? Math.min(Math.max(1, Math.floor(remainingMs)), MAX_DEADLINE_MS)
      : null;
    return { caller, key, waitMs: this.waitS * 1_000, deadlineMs, requestId };
  }

  /** The stored answer of an operation as a message. Throws the problem that was stored in its place. */
  async answer<Message>(running: Promise<KeyedAnswer>, present: (view: never) => Message): Promise<Message> {
    const { status, body, replayed } = await running;
    this.replayed = replayed;
    const document = JSON.parse(body) as unknown;
    if (status >= 400) throw storedProblem(document as ProblemDocument);
    return present(document as never);
  }
}

const STANDARD = new Set(['type', 'title', 'status', 'detail', 'code', 'errors', 'request_id']);

function storedProblem({ code, detail, errors, ...rest }: ProblemDocument): Problem {
  const members = Object.entries(rest).filter(([name]) => !STANDARD.has(name));
  return new Problem(code satisfies ProblemCode, detail, {
    ...(errors === undefined ? {} : { errors }),
    members: Object.fromEntries(members) as Record<string, string | null>,
  });
}

/** By its metadata, which is one object from the first hook to the handler. */
const calls = new WeakMap<Metadata, Call>();

export function rememberCall(metadata: Metadata, call: Call): void {
  calls.set(metadata, call);
}

/** Throws Problem `unauthorized` for a call that no hook has seen. */
export function callOf(metadata: Metadata): Call {
  const call = calls.get(metadata);
  if (call === undefined) throw unauthorized();
  return call;
}
