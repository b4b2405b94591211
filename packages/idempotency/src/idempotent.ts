import { CallInProgress, HandlerHasRun, IdempotentCallError } from './call-error.js';
import { type CallKey, callName } from './call-name.js';
import { type CallOptions, callOptions, type IdempotentOptions } from './call-options.js';
import { readRecord } from './call-record.js';
import { CallRun, type Handler } from './call-run.js';
import { type CallLock, type CallStore, CallStoreUnavailable } from './call-store.js';
import { type Carried } from './carried-json.js';

/** Of the lock's TTL: what has to be left of it for a run to begin, so that it can still be extended. */
const LEAST_LEFT = 0.3;
const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 250;
/** More than fit into the longest wait. */
const MAX_POLLS = 10_000;
const NOT_HASHED = '-';
const FINGERPRINT = /^[\x21-\x7e]{1,128}$/;

/** What JSON does not carry cannot be given again: such a handler gives nothing that can be called. */
export type Idempotent<Q, A> = [A] extends [Carried<A>]
  ? (key: CallKey, request: Q) => Promise<A>
  : { readonly refused: 'the handler answers with what JSON does not carry' };

/**
 * A handler that runs once for each key, as far as the store can see to it: the first call runs it,
 * every later one gets the answer of that run, as its own copy of the JSON. What is remembered is an
 * answer; a handler that throws is taken to have done nothing, and the next call runs it again.
 * Rejects with an IdempotentCallError, or with what the handler threw. Limits: README.md.
 */
export function idempotent<Q, A>(
  store: CallStore,
  options: IdempotentOptions<Q>,
  handler: Handler<Q, A>,
): Idempotent<Q, A>;
export function idempotent<Q, A>(
  store: CallStore,
  options: IdempotentOptions<Q>,
  handler: Handler<Q, A>,
): unknown {
  const settled = callOptions(options);
  settled.metrics?.declare(settled.operation);
  return (key: CallKey, request: Q) => answerCall(store, settled, handler, key, request);
}

async function answerCall<Q, A>(
  store: CallStore,
  options: CallOptions<Q>,
  handler: Handler<Q, A>,
  key: CallKey,
  request: Q,
): Promise<A> {
  const { operation, clock, ids, lockTtl, metrics } = options;
  const name = callName(operation, key);
  const lock: CallLock = { name, token: ids.uuid(), fingerprint: fingerprintOf(options, request) };
  const waitUntilMs = clock.monotonicMs() + options.wait;
  try {
    for (let poll = 0; ; poll++) {
      const [sinceMs, sinceWallMs] = [clock.monotonicMs(), clock.wallMs()];
      const taken = await store.take(lock, lockTtl);
      if (taken.state === 'taken') {
        // By two clocks, and the stricter one counts: one may stand still, the other may be set back.
        const tookMs = Math.max(clock.monotonicMs() - sinceMs, clock.wallMs() - sinceWallMs);
        if (tookMs > (1 - LEAST_LEFT) * lockTtl) throw new CallStoreUnavailable(new Error('too slow'));
        metrics?.met(operation, 'miss');
        if (taken.tookOver) metrics?.tookOver(operation);
        return await new CallRun(store, options, handler, lock, sinceMs).answer(request);
      }
      refuseReuse(options, lock, taken.fingerprint);
      // What a run of this handler returned was of type A, and comes out of JSON as it went in.
      if (taken.state === 'done') return replay(options, taken.record) as A;

      const leftMs = waitUntilMs - clock.monotonicMs();
      if (leftMs <= 0 || poll >= MAX_POLLS) {
        const lockedForMs = await taken.lastsMs();
        metrics?.met(operation, 'in_progress');
        throw new CallInProgress(operation, lockedForMs);
      }
      const pollMs = Math.min(FIRST_POLL_MS * 2 ** Math.min(poll, 10), MAX_POLL_MS);
      await clock.sleep(Math.min(leftMs, Math.ceil(pollMs * (0.5 + ids.random() / 2))));
    }
  } catch (error) {
    if (!(error instanceof CallStoreUnavailable)) throw error;
    // The lock may have been taken all the same; no call runs under it, and it should not block others.
    void store.release(lock).catch(() => {});
    metrics?.met(operation, 'unavailable');
    throw new IdempotentCallError(
      'store_unavailable',
      operation,
      'nothing was run: the store gave no answer',
      { cause: error.cause },
    );
  }
}

function fingerprintOf<Q>({ operation, hashRequest }: CallOptions<Q>, request: Q): string {
  if (!hashRequest) return NOT_HASHED;
  let hash: string;
  try {
    hash = hashRequest(request);
  } catch (cause) {
    throw new IdempotentCallError('request_not_hashable', operation, 'it has no hash', { cause });
  }
  if (FINGERPRINT.test(hash) && hash !== NOT_HASHED) return hash;
  throw new IdempotentCallError('request_not_hashable', operation, 'a hash is 1 to 128 printable characters');
}

/** Where one of the two was not hashed there is nothing to compare. */
function refuseReuse<Q>({ operation, metrics }: CallOptions<Q>, lock: CallLock, stored: string): void {
  if (stored === lock.fingerprint || stored === NOT_HASHED || lock.fingerprint === NOT_HASHED) return;
  metrics?.met(operation, 'mismatch');
  throw new IdempotentCallError('idempotency_key_reused', operation, 'this key is that of another request');
}

function replay<Q>({ operation, metrics }: CallOptions<Q>, written: string): unknown {
  const record = readRecord(written);
  if (!record) throw new IdempotentCallError('record_unreadable', operation, 'what is stored is no answer');
  metrics?.met(operation, 'hit');
  if ('answer' in record) return record.answer;
  throw new HandlerHasRun('answer_not_kept', operation, `done, but its answer held ${record.notKept}`);
}
